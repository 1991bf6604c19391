import { EVENT_TYPES, type EventType } from './event.ts'
import { PageLinks, PageMeta, PageQuery } from './paging.ts'
import { Check, Nullable, Problem, type Static, Strict, Type, Uuid } from './schema.ts'

/** The maximum number of webhooks of an account. */
export const MAX_WEBHOOKS = 20
/** The maximum number of pending deliveries of a webhook. Further events wait until one of these ends. */
export const MAX_PENDING_DELIVERIES = 10_000
/** How many deliveries that have ended are kept for each webhook. */
export const MAX_KEPT_DELIVERIES = 1000
/** The maximum number of deliveries on a page. */
export const MAX_DELIVERY_PAGE_SIZE = 100

const MAX_URL_LENGTH = 2048
const MAX_DESCRIPTION_LENGTH = 255

const url = Type.String({
  maxLength: MAX_URL_LENGTH,
  description: `An http or https URL of at most ${MAX_URL_LENGTH} characters, without a user name, password or fragment`,
  examples: ['https://shop.example/webhooks/stowage'],
  ...Check('webhook-url'),
  ...Problem(`must be an http or https URL of at most ${MAX_URL_LENGTH} characters`),
})
const description = Type.String({
  maxLength: MAX_DESCRIPTION_LENGTH,
  examples: ['shop backend'],
  ...Check('printable'),
  ...Problem(`must be a string of at most ${MAX_DESCRIPTION_LENGTH} characters`),
})
const types = Type.Unsafe<EventType[] | null>({
  type: ['array', 'null'],
  items: Type.Enum([...EVENT_TYPES], { type: 'string' }),
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: 'The types of events that are sent; null for all types, including future ones',
  ...Problem('must be null or an array of event types, such as asset.ready'),
})

const webhook = {
  id: Uuid(),
  url: Type.String({ examples: ['https://shop.example/webhooks/stowage'] }),
  description: Type.String({ examples: ['shop backend'] }),
  types: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description: 'The types of events that are sent; null for all types',
  }),
  enabled: Type.Boolean({ description: 'False: events wait until the webhook is enabled again' }),
  disabled_reason: Type.Unsafe<'manual' | 'failing' | 'gone' | null>({
    anyOf: [Type.Enum(['manual', 'failing', 'gone'], { type: 'string' }), { type: 'null' }],
    description:
      '`manual`: disabled by a call. `failing`: all attempts failed for 3 days. `gone`: the endpoint returned 410',
  }),
  disabled_at: Nullable('string', { description: 'When it was disabled' }),
  failing_since: Nullable('string', {
    description:
      'The first failed attempt since the last successful one, or since the webhook was enabled or its URL changed; null if there is none',
  }),
  missed_events: Type.Integer({
    description:
      'How many events of the account were removed before they could be sent to this webhook: see the limits of stored events. An upper bound if the webhook has `types`, because removed events of other types may be included',
  }),
  missed_at: Nullable('string', { description: 'When the last missed events were noticed' }),
  pending: Type.Integer({ description: 'The number of deliveries with the status `pending`' }),
  previous_secret_valid_until: Nullable('string', {
    description:
      'Until when requests are also signed with the replaced secret; null if they are not',
  }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
}

export const Webhook = Type.Object(webhook, { title: 'Webhook' })
export type Webhook = Static<typeof Webhook>

export const WebhookList = Type.Object({ data: Type.Array(Webhook) }, { title: 'WebhookList' })
export const WebhookResponse = Type.Object({ data: Webhook }, { title: 'WebhookResponse' })

export const WebhookWithSecret = Type.Object(
  {
    ...webhook,
    secret: Type.String({
      description: 'The key that signs the requests. Returned only once: store it now',
      examples: ['whsec_…'],
    }),
  },
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>
export const WebhookSecretResponse = Type.Object(
  { data: WebhookWithSecret },
  { title: 'WebhookSecretResponse' },
)

export const WebhookRequest = Type.Object(
  { url, description: Type.Optional(description), types: Type.Optional(types) },
  { title: 'WebhookRequest', ...Strict },
)
export type WebhookRequest = Static<typeof WebhookRequest>

export const WebhookChanges = Type.Object(
  {
    url: Type.Optional(url),
    description: Type.Optional(description),
    types: Type.Optional(types),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'false stops the deliveries; true continues them where they stopped',
        ...Problem('must be true or false'),
      }),
    ),
  },
  { title: 'WebhookChanges', ...Strict },
)
export type WebhookChanges = Static<typeof WebhookChanges>

export const DeliveryAttempt = Type.Object(
  {
    attempted_at: Type.String({ format: 'date-time' }),
    url: Type.String({ description: 'The URL at that time' }),
    status: Nullable('integer', {
      description: 'The HTTP status of the response; null if there was none',
      examples: [200],
    }),
    duration_ms: Type.Integer({ examples: [85] }),
    error: Nullable('string', { description: 'Why there was no response; null if there was one' }),
    response: Nullable('string', { description: 'The first kilobyte of the response' }),
  },
  { title: 'DeliveryAttempt' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

const STATUSES = ['pending', 'succeeded', 'failed']
type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

const delivery = {
  id: Uuid({ description: 'Also the `webhook-id` header of the requests' }),
  event_id: Nullable('integer', {
    description: 'The ID of the event; null for a ping',
  }),
  type: Type.String({ examples: ['asset.ready'] }),
  status: Type.Unsafe<DeliveryStatus>({
    type: 'string',
    enum: STATUSES,
    description: '`pending`: an attempt is running or follows',
  }),
  created_at: Type.String({ format: 'date-time' }),
  next_attempt_at: Nullable('string', {
    description: 'When the next attempt is due; null if none follows',
  }),
  attempts: Type.Array(DeliveryAttempt, { description: 'The last 10 attempts, oldest first' }),
}

export const Delivery = Type.Object(delivery, { title: 'Delivery' })
export type Delivery = Static<typeof Delivery>

export const DeliveryWithBody = Type.Object(
  {
    ...delivery,
    body: Nullable('string', {
      description:
        'The body of the requests, exactly as it is sent; null if the event of the delivery is no longer kept or cannot be read',
    }),
  },
  { title: 'DeliveryWithBody' },
)
export type DeliveryWithBody = Static<typeof DeliveryWithBody>
export const DeliveryResponse = Type.Object(
  { data: DeliveryWithBody },
  { title: 'DeliveryResponse' },
)

export const ListDeliveriesQuery = Type.Object({
  ...PageQuery,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 25,
      description: `Rows per page, at most ${MAX_DELIVERY_PAGE_SIZE}; larger values are reduced to ${MAX_DELIVERY_PAGE_SIZE}`,
      ...Problem('must be a whole number of 1 or more'),
    }),
  ),
  status: Type.Optional(
    Type.Unsafe<DeliveryStatus>({
      type: 'string',
      enum: STATUSES,
      description: 'Only deliveries with this status',
      ...Problem(`must be one of ${STATUSES.join(', ')}`),
    }),
  ),
})
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>

export const DeliveryPage = Type.Object(
  { data: Type.Array(Delivery), links: PageLinks, meta: PageMeta },
  { title: 'DeliveryPage' },
)
export type DeliveryPage = Static<typeof DeliveryPage>

export const WebhookPath = Type.Object({ id: Uuid({ description: 'The webhook’s ID' }) })
export const DeliveryPath = Type.Object({
  id: Uuid({ description: 'The webhook’s ID' }),
  delivery: Uuid({ description: 'The delivery’s ID' }),
})
