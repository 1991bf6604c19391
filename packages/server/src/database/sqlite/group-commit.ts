import { BUSY_LIMIT_MS, BUSY_PAUSE_MS, isBusy } from './outages.ts'
import type { Connection } from './statement.ts'

interface Unit {
  work: () => unknown
  since: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Units of work that arrive at the same time share one commit, and therefore one disk sync. Each
 * succeeds or fails independently, and is durable when its promise resolves. A unit may run more than
 * once: when one fails, the others are rolled back and run again without it. That is rare, and a
 * savepoint per unit would slow down all of them. While another process holds the lock, the units wait
 * without blocking the event loop, and each fails after a limit.
 */
export function groupCommits({ transaction }: Connection) {
  let waiting: Unit[] = []
  let isScheduled = false

  function commitAll(): void {
    isScheduled = false
    let group = waiting
    waiting = []
    try {
      while (group.length > 0) group = commit(group)
    } catch (error) {
      // Another process holds the lock. Units that arrived meanwhile run after these.
      waiting = [...rejectOverdue(group, error), ...waiting]
      if (waiting.length > 0) schedule(BUSY_PAUSE_MS)
    }
  }

  /** Returns the units to run again. Throws, without any effect, when another process holds the lock. */
  function commit(group: Unit[]): Unit[] {
    let running: Unit | undefined
    try {
      const results = transaction(() => {
        const returned = group.map((unit) => {
          running = unit
          return unit.work()
        })
        running = undefined
        return returned
      })
      for (const [index, { resolve }] of group.entries()) resolve(results[index])
      return []
    } catch (error) {
      if (isBusy(error)) throw error
      const failed = running === undefined ? group : [running]
      for (const { reject } of failed) reject(error)
      return group.filter((unit) => !failed.includes(unit))
    }
  }

  function schedule(pauseMs?: number): void {
    if (isScheduled) return
    isScheduled = true
    if (pauseMs === undefined) setImmediate(commitAll)
    else setTimeout(commitAll, pauseMs)
  }

  return <Result>(work: () => Result): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, since: performance.now(), resolve: resolve as Unit['resolve'], reject })
      // Runs after the other requests of this turn of the event loop, to include their writes.
      schedule()
    })
}

/** Rejects units that have waited too long, and returns the others. */
function rejectOverdue(group: Unit[], error: unknown): Unit[] {
  const oldest = performance.now() - BUSY_LIMIT_MS
  for (const { since, reject } of group) if (since < oldest) reject(error)
  return group.filter(({ since }) => since >= oldest)
}
