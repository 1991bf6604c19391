import type { AccountData } from './account-data.ts'

const MAX_ACCOUNTS = 1000

/** Creates the methods of each account once instead of on every request. */
export function cacheAccountData(
  create: (accountId: string) => AccountData,
): (accountId: string) => AccountData {
  const cache = new Map<string, AccountData>()
  return (accountId) => {
    const data = cache.get(accountId) ?? create(accountId)
    if (cache.size > MAX_ACCOUNTS) cache.clear()
    cache.set(accountId, data)
    return data
  }
}
