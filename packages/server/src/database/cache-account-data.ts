import { type EventActor, OPERATOR } from '../domain/event.ts'
import type { AccountData } from './account-data.ts'

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
