import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from './connection.ts'
import { takeMarks } from './event-marks.ts'
import { isCollision, toOutage } from './outages.ts'
import type { Pool, PoolUse } from './pool.ts'

const MAX_ATTEMPTS = 10
const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 1_000

/** Runs a method of the port on a dedicated connection. */
export type RunUnit = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>

/** Runs units of work for a party. */
export type UnitsOfWork = (use: PoolUse) => RunUnit

/** Calls `onEvents` after a unit has ended, with the accounts for which it may have recorded events. */
export function createUnitsOfWork(
  pool: Pool,
  onEvents: (accountIds: Iterable<string>) => void = () => {},
): UnitsOfWork {
  return (use) => (work) =>
    unitOfWork(() =>
      pool.use(use, async (sql) => {
        try {
          return await work(sql)
        } finally {
          // Also after a failure: if the connection was lost, the transaction may have been committed.
          onEvents(takeMarks(sql))
        }
      }),
    )
}

/**
 * Runs a unit of work. After a deadlock or a serialization failure it runs again, at most `MAX_ATTEMPTS`
 * times in total. The pauses are random, so that colliding units do not collide again. An outage rejects with
 * `EngineUnavailable`.
 */
export async function unitOfWork<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isCollision(error) || attempt === MAX_ATTEMPTS) throw toOutage(error)
      await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS))
    }
  }
}
