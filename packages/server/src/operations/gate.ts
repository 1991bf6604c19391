import { createFairQueue } from '../iterables/fair-queue.ts'

/** Runs the work when it is its turn. */
type Gate = <Result>(accountId: string, work: () => Promise<Result>) => Promise<Result>

/** Runs at most `limit` pieces of work at a time, account by account. */
export function createGate(limit: number): Gate {
  const waiting = createFairQueue<() => void>()
  let running = 0
  return async (accountId, work) => {
    if (running < limit) running += 1
    else await new Promise<void>((resolve) => waiting.add(accountId, resolve))
    try {
      return await work()
    } finally {
      const next = waiting.takeNext()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
