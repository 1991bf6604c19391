import postgres from 'postgres'
import { ARRAY_TYPES } from './array-types.ts'
import { isOutage } from './outages.ts'

export interface PostgresOptions {
  url: string
  /** The maximum number of connections in the pool. */
  poolSize: number
  /** The longest time that a statement may take. */
  statementTimeoutMs: number
  /** `verify` also checks the server's certificate. */
  tls: 'off' | 'on' | 'verify'
}

export const CONNECT_TIMEOUT_MS = 5_000

/** All 64-bit values that we store are below 2^53. */
const INT8 = { to: 20, from: [20], parse: Number, serialize: String }

export type Sql = postgres.Sql<{ int8: number }>

export interface Connection {
  /** Statements run one at a time, all on this connection. */
  sql: Sql
  isLost(): boolean
  /** Closes it, even while a statement runs. */
  close(): Promise<void>
}

export interface ConnectionListeners {
  onClose?: () => void
  /** Called for every notification of the channels that the connection listens to. */
  onNotify?: (channel: string, payload: string) => void
}

/**
 * One connection, opened by its first statement. A lost connection is never used again. The client would
 * reconnect automatically, but it would continue a transaction in the middle, sometimes hang, and write to closed
 * sockets, which ends the process.
 */
export function openConnection(
  options: PostgresOptions,
  { onClose, onNotify }: ConnectionListeners = {},
): Connection {
  let isLost = false
  // The TypeScript types of the client lack `onnotify`.
  const notifications: object = onNotify === undefined ? {} : { onnotify: onNotify }
  const client = postgres(withoutLibpqOnly(options.url), {
    ...notifications,
    max: 1,
    // A lifetime could end within a transaction, and the rest of the transaction would run on a new connection.
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: CONNECT_TIMEOUT_MS / 1000,
    ssl: options.tls === 'off' ? false : { rejectUnauthorized: options.tls === 'verify' },
    types: { int8: INT8, ...ARRAY_TYPES },
    fetch_types: false,
    onnotice: () => {},
    onclose: () => {
      isLost = true
      onClose?.()
    },
    connection: {
      application_name: 'stowage',
      statement_timeout: options.statementTimeoutMs,
    },
  })
  return {
    sql: new Proxy(client, {
      apply(statement, self, values) {
        if (isLost) throw connectionLost()
        return Reflect.apply(statement, self, values)
      },
    }),
    isLost: () => isLost,
    async close() {
      isLost = true
      await client.end({ timeout: 0 })
    },
  }
}

/** Parameters for libpq in the URLs of hosted databases. The client would send them to the server as settings. */
const LIBPQ_ONLY = [
  'channel_binding',
  'gssencmode',
  'sslcert',
  'sslcrl',
  'sslkey',
  'sslrootcert',
  'target_session_attrs',
]

function withoutLibpqOnly(url: string): string {
  const cleaned = new URL(url)
  for (const name of LIBPQ_ONLY) cleaned.searchParams.delete(name)
  return cleaned.href
}

/** Throws if no server responds within twice `CONNECT_TIMEOUT_MS`. Some ports accept connections but never respond. */
export async function requireServer({ sql }: Connection): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(noResponse()), 2 * CONNECT_TIMEOUT_MS)
  try {
    await Promise.race([sql`select 1`, promise])
  } finally {
    clearTimeout(timer)
  }
}

function noResponse(): Error {
  return Object.assign(new Error('no PostgreSQL server responds'), { code: 'CONNECT_TIMEOUT' })
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
}

/** Runs the work in a transaction. */
export async function begin<Result>(
  sql: Sql,
  work: (transaction: Sql) => Promise<Result>,
): Promise<Result> {
  await sql`begin`
  return finish(sql, work)
}

/** Runs the work in a read-only transaction. All its statements see the same snapshot. */
export async function inSnapshot<Result>(sql: Sql, work: (transaction: Sql) => Promise<Result>) {
  await sql`begin isolation level repeatable read, read only`
  return finish(sql, work)
}

async function finish<Result>(
  sql: Sql,
  work: (transaction: Sql) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work(sql)
    await sql`commit`
    return result
  } catch (error) {
    // After an outage the pool closes the connection, and the server rolls back on its own. Right after a
    // reset, the client would accept another statement and never end it.
    if (!isOutage(error)) await rollBack(sql)
    throw error
  }
}

/** If the connection is lost, the server rolls back on its own. */
async function rollBack(sql: Sql): Promise<void> {
  try {
    await sql`rollback`
  } catch {}
}
