/** How long the requests of one turn of the event loop may start. */
const BUDGET_MS = 5

/** Calls `start` when it is the account's turn. */
export type TakeTurn = (accountId: string, start: () => void) => void

/**
 * Starts requests account by account, and only for a few milliseconds per turn of the event loop. Hundreds of concurrent
 * requests of one account would otherwise start in one turn, and every other account would wait for all of them.
 */
export function createTurns(): TakeTurn {
  /** The first account is served next, and then moves to the end. */
  const waiting = new Map<string, (() => void)[]>()
  let endsAt: number | undefined

  /** Starts one request. Each waiting request has scheduled one call. */
  function startNext(): void {
    const now = performance.now()
    if (endsAt === undefined) {
      endsAt = now + BUDGET_MS
      // Runs in the next turn, before the calls that are scheduled below.
      setImmediate(() => {
        endsAt = undefined
      })
    }
    if (now > endsAt) return void setImmediate(startNext)
    for (const [account, requests] of waiting) {
      const start = requests.shift()
      waiting.delete(account)
      if (requests.length > 0) waiting.set(account, requests)
      start?.()
      return
    }
  }

  return (accountId, start) => {
    const requests = waiting.get(accountId) ?? []
    requests.push(start)
    waiting.set(accountId, requests)
    setImmediate(startNext)
  }
}
