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
  const client = postgres(options.url, {
    max: 1,
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

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
}

/** All of the work or nothing of it. */
export async function begin<Result>(
  sql: Sql,
  work: (transaction: Sql) => Promise<Result>,
): Promise<Result> {
  await sql`begin`
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
