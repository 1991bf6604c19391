import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../domain/errors.ts'
import { type EventActor, OPERATOR } from '../../domain/event.ts'
import type { AccountData } from '../account-data.ts'

const MAX_CACHED = 1000

/** An account, and who changes its data. */
export interface Writer {
  account: string
  /** An `EventActor` as JSON. */
  actor: string
}

/** Creates the methods of each account and actor once instead of on every request. */
export function cacheAccountData(
  create: (writer: Writer) => AccountData,
): (accountId: string, actor?: EventActor) => AccountData {
  const cache = new Map<string, AccountData>()
  return (account, { type, id, name } = OPERATOR) => {
    const key = `${account} ${type} ${id} ${name}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const data = create({ account, actor: JSON.stringify({ type, id, name }) })
    if (cache.size > MAX_CACHED) cache.clear()
    cache.set(key, data)
    return data
  }
}

/**
 * Whether the bytes fit into the plan now. `partial`: more assets in the trash must be removed than one
 * transaction may remove, or other transactions have locked them. Commit, and try again.
 */
export type Room = 'made' | 'partial' | 'none'

/** The outcome of a unit of work that has removed only a part of the trash: see `Room`. */
export interface PartialRoom {
  outcome: 'partial'
}

const PARTIAL_TIMEOUT_MS = 10_000
const PARTIAL_PAUSE_MS = 10

/**
 * Repeats a unit of work while its outcome is `partial`. Call it outside of the unit, so that the pauses hold neither a
 * connection nor a lock. Throws `EngineUnavailable` after `PARTIAL_TIMEOUT_MS`.
 */
export async function retryWhilePartial<Result extends { outcome: string }>(
  work: () => Promise<Result | PartialRoom>,
): Promise<Result> {
  const end = performance.now() + PARTIAL_TIMEOUT_MS
  for (;;) {
    const result = await work()
    if (result.outcome !== 'partial') return result as Result
    if (performance.now() > end) {
      const cause = new Error(`could not remove enough trash within ${PARTIAL_TIMEOUT_MS} ms`)
      throw new EngineUnavailable('database', cause)
    }
    await pause(PARTIAL_PAUSE_MS)
  }
}
