import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls'
import postgres from 'postgres'
import { ARRAY_TYPES } from './array-types.ts'
import { isOutage } from './outages.ts'

export interface PostgresOptions {
  url: string
  /** The maximum number of connections in the pool. */
  poolSize: number
  /** The longest time that a statement may take. */
  statementTimeoutMs: number
  /**
   * `verify-ca` also checks that a CA of `sslrootcert` has signed the server's certificate, and `verify` that the
   * certificate is valid for the host. As with libpq, `on` is `verify-ca` if the file of `sslrootcert` exists.
   */
  tls: 'off' | 'on' | 'verify-ca' | 'verify'
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
  const tls = readTls(options)
  const unusable = tls instanceof Error ? tls : undefined
  let isLost = unusable !== undefined
  // The TypeScript types of the client lack `onnotify`.
  const notifications: object = onNotify === undefined ? {} : { onnotify: onNotify }
  const client = postgres(withoutLibpqOnly(options.url), {
    ...notifications,
    max: 1,
    // A lifetime could end within a transaction, and the rest of the transaction would run on a new connection.
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: CONNECT_TIMEOUT_MS / 1000,
    ssl: tls instanceof Error ? 'verify-full' : tls,
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
        if (isLost) throw unusable ?? connectionLost()
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

/**
 * The options of the TLS connection, with the files that the URL names, as libpq reads them. They are read for each
 * connection, because certificates are renewed. Returns an error if a file cannot be used.
 */
function readTls({ url, tls }: PostgresOptions): false | ConnectionOptions | Error {
  if (tls === 'off') return false
  const { hostname, searchParams } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const root = searchParams.get('sslrootcert')
  try {
    const ca = root === null || root === 'system' ? undefined : readPem('sslrootcert', root)
    if (ca === undefined && tls !== 'on' && root !== null && root !== 'system') {
      throw unreadable('sslrootcert', root, 'the file does not exist')
    }
    const certificate = searchParams.get('sslcert')
    const cert = certificate === null ? undefined : readPem('sslcert', certificate)
    return {
      rejectUnauthorized: tls !== 'on' || ca !== undefined,
      // Without it, Node compares the certificate with the name `localhost`.
      ...(isIP(host) !== 0 && { host }),
      ...(tls !== 'verify' && { checkServerIdentity: () => undefined }),
      secureContext: createContext({
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert, ...readKey(searchParams, cert) }),
      }),
    }
  } catch (error) {
    return error as Error
  }
}

/**
 * The client would create it in an event handler, where an invalid file, or a certificate that was renewed a moment before
 * its key, ends the process.
 */
function createContext(files: SecureContextOptions): SecureContext {
  try {
    return createSecureContext(files)
  } catch (error) {
    const message = `the certificates and the key that STOWAGE_DATABASE names cannot be used: ${error}`
    throw Object.assign(new Error(message), { code: UNREADABLE_FILE })
  }
}

/** A file of `sslcert` may also contain the private key. */
function readKey(parameters: URLSearchParams, cert: string) {
  const file = parameters.get('sslkey')
  const key = file === null ? cert : readPem('sslkey', file)
  if (key === undefined) throw unreadable('sslkey', file ?? '', 'the file does not exist')
  const passphrase = parameters.get('sslpassword')
  return { key, ...(passphrase !== null && { passphrase }) }
}

/** Returns undefined if the file does not exist. */
function readPem(parameter: string, file: string): string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadable(parameter, file, String(error))
  }
  // Node ignores an empty text: it would then trust all public CAs.
  if (!text.includes('-----BEGIN ')) throw unreadable(parameter, file, 'it is not in PEM format')
  return text
}

/** The code of the error for a certificate or key that cannot be read or used. */
export const UNREADABLE_FILE = 'CONNECT_UNREADABLE_FILE'

function unreadable(parameter: string, file: string, reason: string): Error {
  const message = `${parameter} in STOWAGE_DATABASE names a file that cannot be read: ${file} (${reason})`
  return Object.assign(new Error(message), { code: UNREADABLE_FILE })
}

/** Parameters for libpq in the URLs of hosted databases. The client would send them to the server as settings. */
const LIBPQ_ONLY = [
  'channel_binding',
  'gssencmode',
  'sslcert',
  'sslcrl',
  'sslkey',
  'sslpassword',
  'sslrootcert',
  'target_session_attrs',
]

function withoutLibpqOnly(url: string): string {
  const cleaned = new URL(url)
  for (const name of LIBPQ_ONLY) cleaned.searchParams.delete(name)
  return cleaned.href
}

/** Throws if no server responds within twice `CONNECT_TIMEOUT_MS`. Some ports accept connections but never respond. */
export async function requireServer(
  { sql }: Connection,
  { url }: Pick<PostgresOptions, 'url'>,
): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(failure('CONNECT_TIMEOUT', url)), 2 * CONNECT_TIMEOUT_MS)
  try {
    await Promise.race([sql`select 1`, promise])
  } catch (error) {
    throw withServer(error, url)
  } finally {
    clearTimeout(timer)
  }
}

const FAILURES: Record<string, string> = {
  CONNECT_TIMEOUT: 'does not respond',
  CONNECTION_CLOSED: 'closed the connection',
}

/** Names the server in errors of the client. With TLS, the client's own text is `write CONNECT_TIMEOUT undefined:undefined`. */
export function withServer(error: unknown, url: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  return error.message.startsWith(`write ${code} `) ? failure(code, url) : error
}

function failure(code: string, url: string): Error {
  const { hostname, port, searchParams } = new URL(url)
  const host = hostname || searchParams.get('host') || 'localhost'
  const message = `PostgreSQL at ${host}:${port || 5432} ${FAILURES[code] ?? 'failed'} (${code})`
  return Object.assign(new Error(message), { code })
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
