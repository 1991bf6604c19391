import { EngineUnavailable } from '../../domain/errors.ts'
import { createFairQueue } from '../../iterables/fair-queue.ts'
import {
  BUSY_LIMIT_MS,
  BUSY_PAUSE_MS,
  type Connection,
  isBusy,
  retryWhileBusy,
  toOutage,
} from './connection.ts'
import type { SpareFile } from './spare-file.ts'

/** Runs the port's methods. An outage rejects with `EngineUnavailable`. */
export interface UnitsOfWork {
  /** Runs without waiting for a commit. */
  read<Result>(work: () => Result): Promise<Awaited<Result>>
  /** Shares a commit with the writes that arrive at the same time. */
  write<Result>(work: () => Result): Promise<Result>
  /**
   * For writes that must also work on a full disk, such as deletions. If the disk is full, the write runs
   * again with the space of the spare file, if there is one.
   */
  free<Result>(work: () => Result): Promise<Result>
  /** For work that manages its own transaction, and for such work that must also work on a full disk. */
  ownTransaction<Result>(work: () => Promise<Result>): Promise<Result>
  ownFreeTransaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** For the work of an account: writes that have to wait are served account by account. */
  of(account: string): Omit<UnitsOfWork, 'of'>
}

export function createUnitsOfWork(inGroup: RunInGroup, spareFile: SpareFile): UnitsOfWork {
  return { ...unitsOf(inGroup, spareFile), of: (account) => unitsOf(inGroup, spareFile, account) }
}

function unitsOf(
  inGroup: RunInGroup,
  spareFile: SpareFile,
  account?: string,
): Omit<UnitsOfWork, 'of'> {
  const write: UnitsOfWork['write'] = (work) => withOutages(() => inGroup(work, account))

  async function withSpareFile<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      const isFull = error instanceof EngineUnavailable && error.isFull
      if (!isFull || !spareFile.release()) throw error
      return run()
    }
  }

  return {
    read: (work) => withOutages(() => retryWhileBusy(work)),
    write,
    free: (work) => withSpareFile(() => write(work)),
    ownTransaction: withOutages,
    ownFreeTransaction: (work) => withSpareFile(() => withOutages(work)),
  }
}

async function withOutages<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toOutage(error)
  }
}

interface Unit {
  work: () => unknown
  party: string
  since: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** How long the units of one commit may run, because they block the event loop. One more unit may start until then. */
const MAX_GROUP_MS = 10

/** Runs the work in the next commit that has room for it. `party` is an account, or empty for work of no account. */
export type RunInGroup = <Result>(work: () => Result, party?: string) => Promise<Result>

/**
 * Units of work that arrive at the same time share one commit, and therefore one disk sync. Each
 * succeeds or fails independently, and is durable when its promise resolves. A unit may run more than
 * once: when one fails, the others are rolled back and run again without it. That is rare, and a
 * savepoint per unit would slow down all of them. While another process holds the lock, the units wait
 * without blocking the event loop, and each fails after a limit. Units that have to wait are served account by account,
 * and those of one account in their order.
 */
export function groupCommits({ transaction }: Connection): RunInGroup {
  const waiting = createFairQueue<Unit>()
  let isScheduled = false

  function commitAll(): void {
    isScheduled = false
    try {
      let again = commit([])
      while (again.length > 0) again = commit(again)
      if (waiting.size > 0) schedule()
    } catch (error) {
      // Another process holds the lock.
      rejectOverdue(error)
      if (waiting.size > 0) schedule(BUSY_PAUSE_MS)
    }
  }

  /**
   * Runs the given units, or as many waiting ones as there is time for. Returns the units to run again. When another
   * process holds the lock, it throws, and the units wait again.
   */
  function commit(again: Unit[]): Unit[] {
    const group = [...again]
    const until = performance.now() + MAX_GROUP_MS
    const addNext = () => {
      const unit = again.length === 0 ? waiting.takeNext() : undefined
      if (unit !== undefined) group.push(unit)
    }
    // Before the transaction begins, so that a unit fails, and no longer waits, if it cannot begin.
    addNext()
    let running: Unit | undefined
    try {
      const results: unknown[] = []
      transaction(() => {
        for (const unit of group) {
          running = unit
          results.push(unit.work())
          if (performance.now() < until) addNext()
        }
        running = undefined
      })
      for (const [index, { resolve }] of group.entries()) resolve(results[index])
      return []
    } catch (error) {
      if (isBusy(error)) {
        for (const unit of group.toReversed()) waiting.putBack(unit.party, unit)
        throw error
      }
      const failed = running === undefined ? group : [running]
      for (const { reject } of failed) reject(error)
      return group.filter((unit) => !failed.includes(unit))
    }
  }

  /** Rejects and removes units that have waited too long. */
  function rejectOverdue(error: unknown): void {
    const oldest = performance.now() - BUSY_LIMIT_MS
    waiting.remove(({ since, reject }) => {
      if (since < oldest) reject(error)
      return since < oldest
    })
  }

  function schedule(pauseMs?: number): void {
    if (isScheduled) return
    isScheduled = true
    if (pauseMs === undefined) setImmediate(commitAll)
    else setTimeout(commitAll, pauseMs)
  }

  return (work, party = '') =>
    new Promise((resolve, reject) => {
      const since = performance.now()
      const unit = { work, party, since, resolve: resolve as Unit['resolve'], reject }
      waiting.add(party, unit)
      // Runs after the other requests of this turn of the event loop, to include their writes.
      schedule()
    })
}
