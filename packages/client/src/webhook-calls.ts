import type {
  Delivery,
  DeliveryPage,
  DeliveryWithBody,
  Webhook,
  WebhookWithSecret,
} from '@stowage/protocol'
import type { Client } from './client.ts'
import { createListing } from './listing.ts'
import { checkId, type Request } from './request.ts'

type WebhookCalls = Pick<
  Client,
  | 'webhooks'
  | 'webhook'
  | 'createWebhook'
  | 'changeWebhook'
  | 'rotateWebhookSecret'
  | 'pingWebhook'
  | 'deliveries'
  | 'delivery'
  | 'redeliver'
>

/** The longest page of deliveries that the service returns. */
const MAX_PAGE_SIZE = 100

/** The calls about webhooks, except `deleteWebhook`. */
export function createWebhookCalls({ data, ...request }: Request): WebhookCalls {
  const deliveryPath = (id: string) => `/webhooks/:id/deliveries/${checkId(id)}`
  return {
    webhooks: (settings) => data<Webhook[]>('/webhooks', settings),
    webhook: (id, settings) => data<Webhook>('/webhooks/:id', { ...settings, id }),
    createWebhook: (body, settings) =>
      data<WebhookWithSecret>('/webhooks', {
        ...settings,
        method: 'POST',
        body,
        isRepeatable: false,
      }),
    changeWebhook: (id, body, settings) =>
      data<Webhook>('/webhooks/:id', { ...settings, id, method: 'PUT', body }),
    rotateWebhookSecret: (id, settings) =>
      data<WebhookWithSecret>('/webhooks/:id/rotate', { ...settings, id, method: 'POST' }),
    pingWebhook: (id, settings) =>
      data<DeliveryWithBody>('/webhooks/:id/ping', { ...settings, id, method: 'POST' }),
    deliveries: (id, query) =>
      createListing<Delivery, DeliveryPage>({ data, ...request }, '/webhooks/:id/deliveries', {
        limit: MAX_PAGE_SIZE,
        ...query,
        id,
      }),
    delivery: async (webhookId, id, settings) =>
      data<DeliveryWithBody>(deliveryPath(id), { ...settings, id: webhookId }),
    redeliver: async (webhookId, id, settings) =>
      data<DeliveryWithBody>(`${deliveryPath(id)}/redeliver`, {
        ...settings,
        id: webhookId,
        method: 'POST',
      }),
  }
}
