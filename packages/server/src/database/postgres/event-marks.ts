import type { Sql } from './connection.ts'

/** Marks all accounts. */
export const ANY_ACCOUNT = '*'

/**
 * For each connection, the accounts for which its running unit of work may have recorded events, and the sessions and
 * keys that it has ended (`endedCredential`).
 */
const marks = new WeakMap<Sql, Set<string>>()

/** Call it in the unit of work that records an event, so that readers are woken up after its commit. */
export function markEvents(sql: Sql, accountId: string): void {
  const accounts = marks.get(sql)
  if (accounts === undefined) marks.set(sql, new Set([accountId]))
  else accounts.add(accountId)
}

/** Returns the marked accounts and removes the marks. */
export function takeMarks(sql: Sql): Iterable<string> {
  const accounts = marks.get(sql)
  if (accounts === undefined) return []
  marks.delete(sql)
  return accounts
}
