import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from './connection.ts'
import { isCollision, toOutage } from './outages.ts'
import type { Pool } from './pool.ts'

const MAX_ATTEMPTS = 10
const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 1_000

/** Runs a method of the port on a dedicated connection. */
export type RunUnit = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>

export function createUnitsOfWork(pool: Pool): RunUnit {
  return (work) => unitOfWork(() => pool.use(work))
}

/**
 * Runs a unit of work. After a deadlock or a serialization failure it runs again, up to `MAX_ATTEMPTS`
 * times. The pauses are random, so that colliding units do not collide again. An outage rejects with
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
