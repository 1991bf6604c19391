import { setTimeout as pause } from 'node:timers/promises'
import type { EventLimits } from '../database/event-data.ts'
import { limitConcurrency, settleAll } from '../iterables/concurrency.ts'
import type { Context } from '../operations/context.ts'
import { createWakeUp } from './job.ts'

/** How often all accounts are checked: their oldest events may have become too old. */
const ALL_PAUSE_MS = 600_000
/** New events of an account are counted together, at most this often. */
const COUNT_PAUSE_MS = 3_000
/** Few, so that most connections to PostgreSQL stay free. On SQLite, accounts at the same time share a commit. */
const MAX_CONCURRENT = 4
/** How many events are counted or forgotten in one transaction, so that requests run in between. */
const BATCH = 200
const ACCOUNTS = 100

/**
 * Keeps the events of each account within the limits: after new events, their bytes are counted, and the oldest ones
 * are forgotten if there are too many. All accounts are checked at the start and every ten minutes.
 */
export async function limitEvents(context: Context, signal: AbortSignal): Promise<void> {
  const wakeUp = createWakeUp()
  const changed = new Set<string>()
  const stopListening = context.database.onEvents((accountId) => {
    if (accountId === undefined) return
    changed.add(accountId)
    wakeUp.wake()
  })
  signal.addEventListener('abort', stopListening, { once: true })
  let checkAt = 0
  while (!signal.aborted) {
    const accounts = [...changed]
    changed.clear()
    try {
      if (performance.now() >= checkAt) {
        checkAt = performance.now() + ALL_PAUSE_MS
        await forgetEvents(context, signal)
      } else {
        const limits = { before: undefined, maxBytes: context.settings.eventsMaxBytes }
        await trimAll(context, { accounts, limits, signal })
      }
    } catch (error) {
      context.warn('the job limitEvents failed; retrying later', error)
      for (const account of accounts) changed.add(account)
      wakeUp.wake()
    }
    await pause(COUNT_PAUSE_MS, undefined, { signal }).catch(() => {})
    await wakeUp.wait(Math.max(0, checkAt - performance.now()), signal)
  }
}

/** Forgets the events of all accounts that are too old, by the database's clock, or exceed the limit of bytes. */
export async function forgetEvents(context: Context, signal: AbortSignal): Promise<void> {
  const { database, settings } = context
  const now = await database.readClock()
  const before = new Date(now.getTime() - settings.eventsForMs)
  const limits = { before, maxBytes: settings.eventsMaxBytes }
  for (let after: string | undefined; ; ) {
    const accounts = await database.listAccountsToTrim(limits, after, ACCOUNTS)
    await trimAll(context, { accounts, limits, signal })
    after = accounts.at(-1)
    if (accounts.length < ACCOUNTS || signal.aborted) return
  }
}

async function trimAll(
  { database }: Context,
  { accounts, limits, signal }: { accounts: string[]; limits: EventLimits; signal: AbortSignal },
): Promise<void> {
  const inSlot = limitConcurrency(MAX_CONCURRENT)
  await settleAll(
    accounts.map((account) =>
      inSlot(async () => {
        while (!signal.aborted && (await database.trimEvents(account, limits, BATCH)).hasMore);
      }),
    ),
  )
}
