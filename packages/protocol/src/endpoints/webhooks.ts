import { Deleted } from '../account.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import {
  deliveryBodyExample,
  deliveryPageExample,
  pingExample,
  webhookExample,
} from '../examples.ts'
import { CreationHeaders } from '../schema.ts'
import {
  DeliveryPage,
  DeliveryPath,
  DeliveryResponse,
  ListDeliveriesQuery,
  MAX_WEBHOOKS,
  WebhookChanges,
  WebhookList,
  WebhookPath,
  WebhookRequest,
  WebhookResponse,
  WebhookSecretResponse,
} from '../webhook.ts'

const PATH = `${API_PREFIX}/webhooks`
const withSecret = { data: { ...webhookExample, secret: 'whsec_…' } }

export const listWebhooks = defineEndpoint({
  operationId: 'listWebhooks',
  methods: ['GET'],
  path: PATH,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'List the webhooks',
  description: 'Secrets are not included: a secret is returned only when it is created.',
  success: {
    status: 200,
    description: 'The webhooks, oldest first',
    schema: WebhookList,
    example: { data: [webhookExample] },
  },
  errors: [],
})

export const createWebhook = defineEndpoint({
  operationId: 'createWebhook',
  methods: ['POST'],
  path: PATH,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'Create a webhook',
  description: `The webhook receives the events that happen after its creation. Returns its secret, which is shown only once. An account can have ${MAX_WEBHOOKS} webhooks. Without an \`Idempotency-Key\`, each call creates a webhook.`,
  headers: CreationHeaders,
  body: WebhookRequest,
  bodyExample: { url: webhookExample.url, types: webhookExample.types },
  success: {
    status: 201,
    description: 'The webhook, with its secret',
    schema: WebhookSecretResponse,
    example: withSecret,
  },
  errors: ['idempotency_key_reused', 'result_gone', 'too_many_webhooks', 'secret_key_missing'],
})

export const readWebhook = defineEndpoint({
  operationId: 'readWebhook',
  methods: ['GET'],
  path: `${PATH}/:id`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'View a webhook',
  description: 'Shows whether its attempts fail, and whether and why it is disabled.',
  params: WebhookPath,
  success: {
    status: 200,
    description: 'The webhook',
    schema: WebhookResponse,
    example: { data: webhookExample },
  },
  errors: ['not_found'],
})

export const changeWebhook = defineEndpoint({
  operationId: 'changeWebhook',
  methods: ['PUT', 'PATCH'],
  path: `${PATH}/:id`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'Change, enable or disable a webhook',
  description:
    'A missing field keeps its value. Pending deliveries are sent to the new URL. Events that happen while the webhook is disabled are sent when it is enabled again, as long as the service keeps them.',
  params: WebhookPath,
  body: WebhookChanges,
  bodyExample: { enabled: true },
  success: {
    status: 200,
    description: 'The changed webhook',
    schema: WebhookResponse,
    example: { data: webhookExample },
  },
  errors: ['not_found'],
})

export const deleteWebhook = defineEndpoint({
  operationId: 'deleteWebhook',
  methods: ['DELETE'],
  path: `${PATH}/:id`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'Delete a webhook',
  description: 'Also removes its deliveries. An attempt that is running may still arrive.',
  params: WebhookPath,
  success: {
    status: 202,
    description: 'The webhook is deleted',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: ['not_found'],
})

export const rotateWebhookSecret = defineEndpoint({
  operationId: 'rotateWebhookSecret',
  methods: ['POST'],
  path: `${PATH}/:id/rotate`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'Replace the secret of a webhook',
  description:
    'Returns the new secret, which is shown only once. For 24 hours, requests are signed with both secrets, so that receivers can change to the new one at any time. If the response is lost, repeat the call: the secrets that it replaces stay valid, too.',
  refusesIdempotencyKey: true,
  params: WebhookPath,
  success: {
    status: 200,
    description: 'The webhook, with its new secret',
    schema: WebhookSecretResponse,
    example: withSecret,
  },
  errors: ['not_found', 'secret_key_missing'],
})

export const pingWebhook = defineEndpoint({
  operationId: 'pingWebhook',
  methods: ['POST'],
  path: `${PATH}/:id/ping`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'Send a test request to a webhook',
  description:
    'Sends a delivery of the type `ping` and waits for the response, for at most 15 seconds. It is sent once, even if the webhook is disabled, and does not change the state of the webhook. `status` and `attempts` show the result.',
  refusesIdempotencyKey: true,
  params: WebhookPath,
  success: {
    status: 200,
    description: 'The delivery, with its attempt',
    schema: DeliveryResponse,
    example: { data: pingExample },
  },
  errors: ['not_found', 'webhook_busy'],
})

export const listDeliveries = defineEndpoint({
  operationId: 'listDeliveries',
  methods: ['GET'],
  path: `${PATH}/:id/deliveries`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'List the deliveries of a webhook',
  description:
    'Newest first. The last 1,000 deliveries that have ended are kept, for at most 30 days.',
  params: WebhookPath,
  query: ListDeliveriesQuery,
  success: {
    status: 200,
    description: 'A page of deliveries',
    schema: DeliveryPage,
    example: deliveryPageExample,
  },
  errors: ['not_found'],
})

export const readDelivery = defineEndpoint({
  operationId: 'readDelivery',
  methods: ['GET'],
  path: `${PATH}/:id/deliveries/:delivery`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'View a delivery',
  description: 'With the body of its requests.',
  params: DeliveryPath,
  success: {
    status: 200,
    description: 'The delivery',
    schema: DeliveryResponse,
    example: { data: deliveryBodyExample },
  },
  errors: ['not_found'],
})

export const redeliver = defineEndpoint({
  operationId: 'redeliver',
  methods: ['POST'],
  path: `${PATH}/:id/deliveries/:delivery/redeliver`,
  tag: 'Webhooks',
  scope: 'manage',
  summary: 'Send a delivery again',
  description:
    'The delivery is sent immediately, in the background, with the same `webhook-id` and the same body, as long as its event is kept. If it fails, it is retried like a new one. A pending delivery is sent without waiting for its next attempt.',
  refusesIdempotencyKey: true,
  params: DeliveryPath,
  success: {
    status: 202,
    description: 'The delivery, which is pending',
    schema: DeliveryResponse,
    example: {
      data: {
        ...deliveryBodyExample,
        status: 'pending',
        next_attempt_at: '2026-01-31T09:30:00.000Z',
      },
    },
  },
  errors: ['not_found', 'webhook_disabled', 'delivery_expired'],
})
