import type { Context } from '../../src/operations/context.ts'
import { attemptDelivery, CLAIM_MS, queueDeliveries } from '../../src/operations/deliveries.ts'

const LIMITS = {
  limit: 50,
  perWebhook: 10,
  maxBytes: 1_000_000,
  maxBytesPerAccount: 1_000_000,
  runningBytes: new Map(),
}

/**
 * Queues and sends all deliveries that are due, as the job does. `afterMs` moves the clock forward, for deliveries
 * that wait for a retry. Returns the number of attempts.
 */
export async function deliverAll(context: Context, afterMs = 0): Promise<number> {
  const later = atLaterTime(context, afterMs)
  const { database } = later
  while ((await queueDeliveries(later)).hasMore);
  let count = 0
  for (const health of ['working', 'failing'] as const) {
    for (;;) {
      const now = await database.readClock()
      const claimedUntil = new Date(now.getTime() + CLAIM_MS)
      const claimed = await database.claimDeliveries(health, { now, claimedUntil }, LIMITS)
      if (claimed.length === 0) break
      await Promise.all(claimed.map((one) => attemptDelivery(later, one)))
      count += claimed.length
    }
  }
  return count
}

/** The same context, in which the database's clock is ahead. */
export function atLaterTime(context: Context, afterMs: number): Context {
  const readClock = async () => new Date((await context.database.readClock()).getTime() + afterMs)
  return {
    ...context,
    database: Object.create(context.database, { readClock: { value: readClock } }),
  }
}
