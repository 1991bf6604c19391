import type { AccountData } from './account-data.ts'

/** Accounts whose methods are kept ready. */
const MOST = 1000

/** Binds methods to an account once, not for every request of it. */
export function rememberAccounts(
  bind: (accountId: string) => AccountData,
): (accountId: string) => AccountData {
  const bound = new Map<string, AccountData>()
  return (accountId) => {
    const data = bound.get(accountId) ?? bind(accountId)
    if (bound.size > MOST) bound.clear()
    bound.set(accountId, data)
    return data
  }
}
