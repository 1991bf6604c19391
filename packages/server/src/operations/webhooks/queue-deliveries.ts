import { MAX_PENDING_DELIVERIES } from '@stowage/protocol'
import type { WebhookBehind } from '../../database/webhook-data.ts'
import type { Event } from '../../domain/event.ts'
import { limitConcurrency, settleAll } from '../../iterables/limit-concurrency.ts'
import { type Context, forAccount } from '../context.ts'
import { readEvents } from '../events/read-events.ts'

const MAX_WEBHOOKS = 100
const MAX_EVENTS = 100
/** Fewer than the default number of database connections. Writes at the same time also share a commit on SQLite. */
const MAX_CONCURRENT = 4

interface Queued {
  /** How many deliveries were queued. */
  queued: number
  /** Whether there may be more events. */
  hasMore: boolean
}

/**
 * Turns the next events of each webhook into deliveries. Each event becomes one delivery, even if several instances
 * do this at the same time, or one of them is killed. An event that cannot be read is logged and skipped. If the
 * deliveries of one webhook cannot be queued, those of the others still are, and the call throws at the end.
 */
export async function queueDeliveries(context: Context): Promise<Queued> {
  const options = { limit: MAX_WEBHOOKS, maxPending: MAX_PENDING_DELIVERIES }
  const behind = await context.database.listWebhooksBehind(options)
  const inSlot = limitConcurrency(MAX_CONCURRENT)
  const positions = Map.groupBy(behind, ({ accountId, lastEvent }) => `${accountId} ${lastEvent}`)
  const failures: unknown[] = []
  let hasMore = behind.length === MAX_WEBHOOKS
  let queued = 0
  for (const webhooks of positions.values()) {
    try {
      const next = await queueNext(context, webhooks, inSlot)
      queued += next.queued
      if (next.hasMore) hasMore = true
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return { queued, hasMore }
}

/** Reads the events once for all webhooks of an account that have received the same events. */
async function queueNext(
  context: Context,
  webhooks: WebhookBehind[],
  inSlot: ReturnType<typeof limitConcurrency>,
): Promise<Queued> {
  const [first] = webhooks
  if (first === undefined) return { queued: 0, hasMore: false }
  const { database, newId } = context
  const { accountId, lastEvent } = first
  const query = { after: lastEvent, limit: MAX_EVENTS }
  const toMessage = (event: Event) => messageOf(context, event)
  // Events that were forgotten before they could be sent are skipped.
  const next = await readEvents(forAccount(context, accountId), query, toMessage)
  const { results: messages, until, hasMore } = next
  if (until <= lastEvent) return { queued: 0, hasMore: false }
  const createdAt = await database.readClock()
  let queued = 0
  await settleAll(
    webhooks.map(({ id, types }) =>
      inSlot(async () => {
        const deliveries = messages
          .filter(({ type }) => types === null || types.includes(type))
          .map((message) => ({ ...message, id: newId(), createdAt }))
        const range = { after: lastEvent, until }
        if (await database.addDeliveries(id, range, deliveries)) queued += deliveries.length
      }),
    ),
  )
  return { queued, hasMore }
}

function messageOf({ presentEvent }: Context, event: Event) {
  const { id, type, ...rest } = presentEvent(event)
  // `timestamp` is the name that Standard Webhooks recommends for the time of the event.
  const body = JSON.stringify({ id, type, timestamp: rest.created_at, ...rest })
  return { eventId: event.id, type, body }
}
