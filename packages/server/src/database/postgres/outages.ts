import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../errors.ts'

/** Codes of the client and of the server that say "not now" rather than "wrong statement". */
const OUTAGE =
  /^(CONNECT|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|08|53|57P|57014|58|XX000)/

/** A deadlock or a serialization failure: the transaction was rolled back whole, and runs again. */
const COLLISION = /^(40001|40P01)$/
const TRIES = 10
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function isOutage(error: unknown): boolean {
  return error instanceof EngineUnavailable || OUTAGE.test(codeOf(error))
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    codeOf(error) === '23505' &&
    error instanceof Error &&
    'constraint_name' in error &&
    error.constraint_name === constraint
  )
}

/**
 * Runs a unit of work. After a collision it runs again, after a random pause, so that those that
 * collided do not collide again; at most `TRIES` times in all. Tells outages from faults.
 */
export async function unitOfWork<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const isCollision = COLLISION.test(codeOf(error))
      if (isCollision && attempt < TRIES) {
        await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS))
        continue
      }
      const isUnavailable = isCollision || isOutage(error)
      if (!isUnavailable || error instanceof EngineUnavailable) throw error
      throw new EngineUnavailable('database', error)
    }
  }
}
