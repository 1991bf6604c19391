import { MAX_PENDING_DELIVERIES } from '@stowage/protocol'
import type { WebhookBehind } from '../../database/webhook-data.ts'
import { limitConcurrency, settleAll } from '../../iterables/limit-concurrency.ts'
import type { Context } from '../context.ts'

const MAX_WEBHOOKS = 100
const MAX_EVENTS = 100
/** Fewer than the default number of database connections. Writes at the same time also share a commit on SQLite. */
const MAX_CONCURRENT = 4

interface Queued {
  /** How many deliveries were queued. */
  queued: number
  /** Whether there may be more events. */
  hasMore: boolean
  /** Whether a webhook was changed: its pending deliveries may have become due. */
  isWebhookChanged: boolean
}

/**
 * Turns the next events of each webhook into deliveries. Each event becomes one delivery, even if several instances
 * do this at the same time, or one of them is killed. If the deliveries of one webhook cannot be queued, those of the
 * others still are, and the call throws at the end.
 */
export async function queueDeliveries(context: Context): Promise<Queued> {
  const options = { limit: MAX_WEBHOOKS, maxPending: MAX_PENDING_DELIVERIES }
  const behind = await context.database.listWebhooksBehind(options)
  const inSlot = limitConcurrency(MAX_CONCURRENT)
  const positions = Map.groupBy(behind, ({ accountId, lastEvent }) => `${accountId} ${lastEvent}`)
  const failures: unknown[] = []
  let hasMore = behind.length === MAX_WEBHOOKS
  let queued = 0
  let isWebhookChanged = false
  for (const webhooks of positions.values()) {
    try {
      const next = await queueNext(context, webhooks, inSlot)
      queued += next.queued
      if (next.hasMore) hasMore = true
      if (next.isWebhookChanged) isWebhookChanged = true
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return { queued, hasMore, isWebhookChanged }
}

/** Reads the events once for all webhooks of an account that have received the same events. */
async function queueNext(
  context: Context,
  webhooks: WebhookBehind[],
  inSlot: ReturnType<typeof limitConcurrency>,
): Promise<Queued> {
  const [first] = webhooks
  const nothing = { queued: 0, hasMore: false, isWebhookChanged: false }
  if (first === undefined) return nothing
  const { database, newId } = context
  const { accountId, lastEvent } = first
  const { events, lastId } = await database.listEventTypes(accountId, lastEvent, MAX_EVENTS)
  const last = events.length < MAX_EVENTS ? undefined : events.at(-1)
  const until = last?.id ?? lastId
  if (until <= lastEvent) return nothing
  // The IDs have no gaps, so the events that are not found were forgotten before they could be sent.
  const missed = until - lastEvent - events.length
  const createdAt = await database.readClock()
  let queued = 0
  await settleAll(
    webhooks.map(({ id, types }) =>
      inSlot(async () => {
        const deliveries = events
          .filter(({ type }) => types === null || types.includes(type))
          .map((event) => ({
            id: newId(),
            eventId: event.id,
            eventAt: event.createdAt,
            type: event.type,
            body: '',
            createdAt,
          }))
        const range = { after: lastEvent, until, missed }
        if (await database.addDeliveries(id, range, deliveries)) queued += deliveries.length
      }),
    ),
  )
  const isWebhookChanged = events.some(({ type }) => type.startsWith('webhook.'))
  return { queued, hasMore: until < lastId, isWebhookChanged }
}
