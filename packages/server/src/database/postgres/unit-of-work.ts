import { setTimeout as pause } from 'node:timers/promises'
import type { Notice } from '../shared/event-listeners.ts'
import type { RunUnit as RunAnyUnit } from '../shared/wire-account-data.ts'
import { isCollision, type Sql, toOutage } from './connection.ts'
import type { Pool, PoolUse } from './pool.ts'

const MAX_ATTEMPTS = 10
const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 1_000

/** Runs a method of the port on a dedicated connection. */
export type RunUnit = RunAnyUnit<Sql>

/** Runs units of work for a party. */
export type UnitsOfWork = (use: PoolUse) => RunUnit

/** The notice that any account may have new events. */
export const ANY_ACCOUNT: Notice = '*'

/** For each connection, the notices of its running unit of work. */
const noticesOf = new WeakMap<Sql, Set<Notice>>()

/** Call it in the unit of work that makes the change. The notice is announced after its commit. */
export function addNotice(sql: Sql, notice: Notice): void {
  const notices = noticesOf.get(sql)
  if (notices === undefined) noticesOf.set(sql, new Set([notice]))
  else notices.add(notice)
}

function takeNotices(sql: Sql): Iterable<Notice> {
  const notices = noticesOf.get(sql)
  if (notices === undefined) return []
  noticesOf.delete(sql)
  return notices
}

/** Calls `announce` with the notices of a unit after it has ended. */
export function createUnitsOfWork(
  pool: Pool,
  announce: (notices: Iterable<Notice>) => void = () => {},
): UnitsOfWork {
  return (use) => (work) =>
    unitOfWork(() =>
      pool.use(use, async (sql) => {
        try {
          return await work(sql)
        } finally {
          // Also after a failure: if the connection was lost, the transaction may have been committed.
          announce(takeNotices(sql))
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
