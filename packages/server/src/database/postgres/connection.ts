import postgres from 'postgres'
import { EngineUnavailable } from '../../errors.ts'

export interface PostgresOptions {
  url: string
  /** The most connections at once. */
  poolSize: number
  /** How long one statement may take. */
  statementTimeoutMs: number
  /** `verify` also checks who the server is. */
  tls: 'off' | 'on' | 'verify'
}

const CONNECT_TIMEOUT_SECONDS = 5

/** Every value of 64 bits that we store is below 2^53. */
const INT8 = { to: 20, from: [20], parse: Number, serialize: String }

export function connect(options: PostgresOptions) {
  return postgres(options.url, {
    max: options.poolSize,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    ssl: options.tls === 'off' ? false : { rejectUnauthorized: options.tls === 'verify' },
    types: { int8: INT8 },
    onnotice: () => {},
    connection: {
      application_name: 'stowage',
      statement_timeout: options.statementTimeoutMs,
    },
  })
}

export type Sql = ReturnType<typeof connect>
export type Transaction = postgres.TransactionSql<{ int8: number }>

/** Codes of the client and of the server that say "not now" rather than "wrong statement". */
const OUTAGE =
  /^(CONNECT|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|08|53|57P|57014|58|XX000|40001|40P01)/

/** Two transactions that stood in each other's way: one of them goes again. */
const COLLISION = /^(40001|40P01)$/
const TRIES = 4

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
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
      const code = codeOf(error)
      if (COLLISION.test(code) && attempt < TRIES) continue
      throw OUTAGE.test(code) ? new EngineUnavailable('database', error) : error
    }
  }
}
