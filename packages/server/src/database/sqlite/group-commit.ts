import type { Connection } from './statement.ts'

interface Unit {
  work: () => unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Units of work that arrive together share one commit, and with it the sync of the disk. Each
 * succeeds or fails for itself, and is durable when its promise resolves. A unit may run more than
 * once: what fails is taken out, and the others begin again. That is rare, and a savepoint for each
 * would cost all of them, the more the more pages they change.
 */
export function groupCommits({ transaction }: Connection) {
  let waiting: Unit[] = []

  function commitAll(): void {
    const group = waiting
    waiting = []
    commit(group)
  }

  function commit(group: Unit[]): void {
    let running: Unit | undefined
    try {
      const results = transaction(() => {
        const made = group.map((unit) => {
          running = unit
          return unit.work()
        })
        running = undefined
        return made
      })
      for (const [index, { resolve }] of group.entries()) resolve(results[index])
    } catch (error) {
      const failed = running === undefined ? group : [running]
      for (const { reject } of failed) reject(error)
      const others = group.filter((unit) => !failed.includes(unit))
      if (others.length > 0) commit(others)
    }
  }

  return <Result>(work: () => Result): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      // Behind the requests that the same turn of the event loop brings.
      if (waiting.length === 0) setImmediate(commitAll)
      waiting.push({ work, resolve: resolve as Unit['resolve'], reject })
    })
}
