import type { Connection } from './statement.ts'

interface Unit {
  work: () => unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Units of work that arrive together share one commit, and with it the sync of the disk. Each
 * succeeds or fails for itself, and is durable when its promise resolves.
 */
export function groupCommits({ transaction, attempt }: Connection) {
  let waiting: Unit[] = []

  const inTurn = ({ work }: Unit) => attempt(work)
  /** The transaction is all its own; a savepoint within it would cost more with every page it changes. */
  const alone = ({ work }: Unit) => ({ isDone: true as const, result: work() })

  function commitAll(): void {
    const group = waiting
    waiting = []
    try {
      const outcomes = transaction(() => group.map(group.length === 1 ? alone : inTurn))
      group.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index]
        if (outcome?.isDone) resolve(outcome.result)
        else reject(outcome?.error)
      })
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return <Result>(work: () => Result): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      // Behind the requests that the same turn of the event loop brings.
      if (waiting.length === 0) setImmediate(commitAll)
      waiting.push({ work, resolve: resolve as Unit['resolve'], reject })
    })
}
