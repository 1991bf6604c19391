import { MAX_KEPT_DELIVERIES } from '@stowage/protocol'
import type { Context } from '../operations/context.ts'
import { BATCH } from './job.ts'

const HOUR_MS = 3_600_000
const KEPT_FOR_MS = 30 * 24 * HOUR_MS
/** Every retry is due within a day. The margin makes a small correction of the clock harmless. */
const LATEST_MS = 25 * HOUR_MS
const MAX_REMOVED = 500

/** Removes old deliveries, and those above the limit of their webhook. */
export async function forgetDeliveries(context: Context, signal: AbortSignal): Promise<void> {
  const { database } = context
  const now = await database.readClock()
  const before = new Date(now.getTime() - KEPT_FOR_MS)
  const latest = new Date(now.getTime() + LATEST_MS)
  const options = { keep: MAX_KEPT_DELIVERIES, limit: MAX_REMOVED, now, latest }
  await repeatWhileFull(() => database.forgetDeliveries(before, MAX_REMOVED), signal)
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, BATCH)
    for (const { id } of webhooks) {
      await repeatWhileFull(() => database.trimDeliveries(id, options), signal)
    }
    after = webhooks.at(-1)?.id
    if (webhooks.length < BATCH || signal.aborted) return
  }
}

async function repeatWhileFull(remove: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await remove()) === MAX_REMOVED);
}
