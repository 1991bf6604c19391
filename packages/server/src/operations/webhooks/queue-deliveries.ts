import { MAX_PENDING_DELIVERIES } from '@stowage/protocol'
import type { NewDelivery, WebhookBehind } from '../../database/webhook-data.ts'
import type { Event } from '../../domain/event.ts'
import type { Context } from '../context.ts'

const MAX_WEBHOOKS = 100
const MAX_EVENTS = 100

/**
 * Turns the next events of each webhook into deliveries. Each event becomes one delivery, even if several instances
 * do this at the same time, or one of them is killed. Returns how many were queued, and whether there may be more events.
 */
export async function queueDeliveries(
  context: Context,
): Promise<{ queued: number; hasMore: boolean }> {
  const options = { limit: MAX_WEBHOOKS, maxPending: MAX_PENDING_DELIVERIES }
  const behind = await context.database.listWebhooksBehind(options)
  let hasMore = behind.length === MAX_WEBHOOKS
  let queued = 0
  for (const webhook of behind) {
    const next = await queueNext(context, webhook)
    queued += next.queued
    if (next.hasMore) hasMore = true
  }
  return { queued, hasMore }
}

/** Returns the number of queued deliveries, and whether there are more events. */
async function queueNext(
  context: Context,
  webhook: WebhookBehind,
): Promise<{ queued: number; hasMore: boolean }> {
  const { database } = context
  const { id, accountId, lastEvent } = webhook
  const query = { after: lastEvent, limit: MAX_EVENTS }
  const { events, hasMore, forgottenId } = await database.of(accountId).listEvents(query)
  // Events that were forgotten before they could be sent are skipped.
  const until = events.at(-1)?.id ?? forgottenId
  if (until <= lastEvent) return { queued: 0, hasMore: false }
  const createdAt = await database.readClock()
  const deliveries = events
    .filter(({ type }) => webhook.types === null || webhook.types.includes(type))
    .map((event) => deliveryOf(context, event, createdAt))
  const hasWon = await database.addDeliveries(id, { after: lastEvent, until }, deliveries)
  return { queued: hasWon ? deliveries.length : 0, hasMore }
}

function deliveryOf({ newId, presentEvent }: Context, event: Event, createdAt: Date): NewDelivery {
  const { id, type, ...rest } = presentEvent(event)
  // `timestamp` is the name that Standard Webhooks recommends for the time of the event.
  const body = JSON.stringify({ id, type, timestamp: rest.created_at, ...rest })
  return { id: newId(), eventId: event.id, type, body, createdAt }
}
