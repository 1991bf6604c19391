import postgres from 'postgres'

export interface PostgresOptions {
  url: string
  /** The most connections at once. */
  poolSize: number
  /** How long one statement may take. */
  statementTimeoutMs: number
  /** `verify` also checks who the server is. */
  tls: 'off' | 'on' | 'verify'
}

export const CONNECT_TIMEOUT_MS = 5_000

/** Every value of 64 bits that we store is below 2^53. */
const INT8 = { to: 20, from: [20], parse: Number, serialize: String }

export type Sql = postgres.Sql<{ int8: number }>

export interface Connection {
  /** Statements run one after the other on this one connection, and on no other. */
  sql: Sql
  isLost(): boolean
  /** Ends it, when need be in the middle of a statement. */
  close(): Promise<void>
}

/**
 * One connection, made by its first statement. Once lost it stays so: the client would connect
 * again by itself, but carry on in the middle of a transaction whose beginning is gone; it writes to
 * sockets that are closed, which ends the process; and some of its connections stay silent for good.
 */
export function openConnection(options: PostgresOptions): Connection {
  let isLost = false
  const client = postgres(withoutLibpqOnly(options.url), {
    max: 1,
    // It would end in the middle of a transaction, and the rest would run on a new one.
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: CONNECT_TIMEOUT_MS / 1000,
    ssl: options.tls === 'off' ? false : { rejectUnauthorized: options.tls === 'verify' },
    types: { int8: INT8 },
    onnotice: () => {},
    onclose: () => {
      isLost = true
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

/** What addresses of hosted databases carry for libpq; to the server they would be settings. */
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

/** Asks once, for a bounded time: some addresses take a connection and never say a word. */
export async function reach({ sql }: Connection): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(silentServer()), 2 * CONNECT_TIMEOUT_MS)
  try {
    await Promise.race([sql`select 1`, promise])
  } finally {
    clearTimeout(timer)
  }
}

function silentServer(): Error {
  return Object.assign(new Error('no PostgreSQL server speaks there'), { code: 'CONNECT_TIMEOUT' })
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
}

/** All of the work or nothing of it. */
export async function begin<Result>(
  sql: Sql,
  work: (transaction: Sql) => Promise<Result>,
): Promise<Result> {
  await sql`begin`
  return finish(sql, work)
}

/** Whatever others do meanwhile, all statements see the same. */
export async function atOneMoment<Result>(sql: Sql, work: (transaction: Sql) => Promise<Result>) {
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
    await rollBack(sql)
    throw error
  }
}

/** Where the connection was lost the server does it by itself. */
async function rollBack(sql: Sql): Promise<void> {
  try {
    await sql`rollback`
  } catch {}
}
