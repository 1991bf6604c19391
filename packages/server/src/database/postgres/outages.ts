import { EngineUnavailable } from '../../errors.ts'

/** Codes of the client and of the server that say "not now" rather than "wrong statement". */
const OUTAGE =
  /^(CONNECT|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|08|53|57P|57014|58|XX000|40001|40P01)/

/** Two transactions that stood in each other's way: one of them goes again. */
const COLLISION = /^(40001|40P01)$/
const TRIES = 4

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

/** Runs a unit of work, again after a collision; tells outages from faults. */
export async function unitOfWork<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (COLLISION.test(codeOf(error)) && attempt < TRIES) continue
      if (!isOutage(error) || error instanceof EngineUnavailable) throw error
      throw new EngineUnavailable('database', error)
    }
  }
}
