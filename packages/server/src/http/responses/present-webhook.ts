import type * as wire from '@stowage/protocol'
import { publicEventId } from '../../domain/event.ts'
import type { Attempt, Delivery, WebhookState } from '../../domain/webhook.ts'
import type { DeliveryWithBody } from '../../operations/webhooks/delivery-body.ts'

/** Without its secrets. */
export function presentWebhook(webhook: WebhookState, now: Date): wire.Webhook {
  const valid = webhook.previousSecrets.filter(({ validUntil }) => validUntil > now)
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    types: webhook.types,
    enabled: webhook.disabled === null,
    disabled_reason: webhook.disabled?.reason ?? null,
    disabled_at: webhook.disabled?.at.toISOString() ?? null,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    pending: webhook.pending,
    missed_events: webhook.missed?.count ?? 0,
    missed_at: webhook.missed?.at.toISOString() ?? null,
    previous_secret_valid_until: valid[0]?.validUntil.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
}

export function presentDelivery(delivery: Omit<Delivery, 'body'>): wire.Delivery {
  const { eventId, eventAt } = delivery
  return {
    id: delivery.id,
    event_id: eventId === null ? null : publicEventId(eventId, eventAt ?? null),
    type: delivery.type,
    status: delivery.status,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.dueAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(presentAttempt),
  }
}

export function presentDeliveryWithBody(delivery: DeliveryWithBody): wire.DeliveryWithBody {
  return { ...presentDelivery(delivery), body: delivery.body }
}

function presentAttempt(attempt: Attempt): wire.DeliveryAttempt {
  return {
    attempted_at: attempt.at.toISOString(),
    url: attempt.url,
    status: attempt.status,
    duration_ms: attempt.durationMs,
    error: attempt.error,
    response: attempt.response,
  }
}
