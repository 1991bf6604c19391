import { createFairQueue } from '../iterables/fair-queue.ts'

/** How long the requests of one turn of the event loop may start. */
const BUDGET_MS = 5

/** Calls `start` when it is the account's turn. */
export type TakeTurn = (accountId: string, start: () => void) => void

/**
 * Starts requests account by account, and only for a few milliseconds per turn of the event loop. Hundreds of concurrent
 * requests of one account would otherwise start in one turn, and every other account would wait for all of them.
 */
export function createTurns(): TakeTurn {
  const waiting = createFairQueue<() => void>()
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
    waiting.takeNext()?.()
  }

  return (accountId, start) => {
    waiting.add(accountId, start)
    setImmediate(startNext)
  }
}
