import { EVENT_ID_EXAMPLE } from './event.ts'
import { pageExample } from './examples.ts'
import type { Delivery, DeliveryPage, DeliveryWithBody, Webhook } from './webhook.ts'

const id = '01981d2c-5a7e-7d42-9e5f-2a3b4c5d6e7f'

export const webhookExample: Webhook = {
  id,
  url: 'https://shop.example/webhooks/stowage',
  description: 'shop backend',
  types: ['asset.ready', 'asset.deleted'],
  enabled: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  missed_events: 0,
  missed_at: null,
  pending: 0,
  previous_secret_valid_until: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
}

export const deliveryExample: Delivery = {
  id: '01981d2c-5a7e-7e53-8f60-3b4c5d6e7f80',
  event_id: EVENT_ID_EXAMPLE,
  type: 'asset.ready',
  status: 'succeeded',
  created_at: '2026-01-31T09:30:00.000Z',
  next_attempt_at: null,
  attempts: [
    {
      attempted_at: '2026-01-31T09:30:00.100Z',
      url: webhookExample.url,
      status: 200,
      duration_ms: 85,
      error: null,
      response: 'ok',
    },
  ],
}

export const pingExample: DeliveryWithBody = {
  ...deliveryExample,
  event_id: null,
  type: 'ping',
  body: `{"type":"ping","timestamp":"2026-01-31T09:30:00.000Z","data":{"webhook_id":"${id}"}}`,
}

export const deliveryBodyExample: DeliveryWithBody = {
  ...deliveryExample,
  body: `{"id":${EVENT_ID_EXAMPLE},"type":"asset.ready","timestamp":"2026-01-31T09:30:12.345Z",…}`,
}

export const deliveryPageExample: DeliveryPage = {
  data: [deliveryExample],
  ...pageExample(`webhooks/${id}/deliveries`),
}
