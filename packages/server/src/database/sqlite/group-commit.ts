import { BUSY_LIMIT_MS, BUSY_PAUSE_MS, isBusy } from './outages.ts'
import type { Connection } from './statement.ts'

interface Unit {
  work: () => unknown
  since: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Units of work that arrive together share one commit, and with it the sync of the disk. Each
 * succeeds or fails for itself, and is durable when its promise resolves. A unit may run more than
 * once: what fails is taken out, and the others begin again. That is rare, and a savepoint for each
 * would cost all of them, the more the more pages they change. While another process holds the lock
 * they wait, without holding up anything else, and each fails after a limit.
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
      // Another process holds the lock. Those that have come meanwhile wait behind these.
      waiting = [...rejectOverdue(group, error), ...waiting]
      if (waiting.length > 0) schedule(BUSY_PAUSE_MS)
    }
  }

  /** Returns those that begin again. Throws when another process holds the lock; nothing was done. */
  function commit(group: Unit[]): Unit[] {
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
      // Behind the requests that the same turn of the event loop brings.
      schedule()
    })
}

/** Rejects those that have waited for too long, and returns the others. */
function rejectOverdue(group: Unit[], error: unknown): Unit[] {
  const oldest = performance.now() - BUSY_LIMIT_MS
  for (const { since, reject } of group) if (since < oldest) reject(error)
  return group.filter(({ since }) => since >= oldest)
}
