import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls'
import type { PendingQuery, PostgresType, Row } from 'postgres'
import postgres from 'postgres'
import { parse } from 'postgres-array'
import { EngineUnavailable } from '../../domain/errors.ts'
import type { Rows } from '../account-data.ts'
import type { Statement, Values } from '../shared/dialect.ts'

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
  /** Called for every statement that is sent. */
  onStatement?: (sql: string) => void
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
  const { onStatement } = options
  const client = postgres(withoutLibpqOnly(options.url), {
    ...notifications,
    ...(onStatement && { debug: (_, sql) => onStatement(sql) }),
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
        const query = Reflect.apply(statement, self, values)
        return values.some(isPlannedForValues) ? plannedForValues(query) : query
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

/** Runs the work in a transaction: every statement of the connection is a part of it until the work ends. */
export function inTransaction<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  return joinable.has(sql) ? work() : enclose(sql, () => sql`begin`, work)
}

/** Runs the work in a read-only transaction. All its statements see the same snapshot. */
export function inSnapshot<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  return snapshots.has(sql)
    ? work()
    : enclose(sql, () => sql`begin isolation level repeatable read, read only`, work)
}

/** The connections whose current transaction takes in units of work. */
const joinable = new WeakSet<Sql>()

/** The connections with a snapshot that lasts until they are closed. */
const snapshots = new WeakSet<Sql>()

/** From now on, all reads of this connection see the same snapshot, and nothing can be written. */
export async function beginSnapshot(sql: Sql): Promise<void> {
  await sql`set idle_in_transaction_session_timeout = 0`
  await sql`begin isolation level repeatable read, read only`
  // The first query takes the snapshot.
  await sql`select 1`
  inTransactions.add(sql)
  joinable.add(sql)
  snapshots.add(sql)
}

/** Runs units of work as parts of the caller's transaction: their `inTransaction` begins none, and ends none. */
export async function joinTransaction<Result>(
  sql: Sql,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!inTransactions.has(sql)) throw new Error('no transaction runs on this connection')
  joinable.add(sql)
  try {
    return await work()
  } finally {
    joinable.delete(sql)
  }
}

/** The connections on which a transaction runs. */
const inTransactions = new WeakSet<Sql>()

async function enclose<Result>(
  sql: Sql,
  begin: () => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  // PostgreSQL only warns about a second `begin`, and the first `commit` would end both transactions.
  if (inTransactions.has(sql)) throw new Error('a transaction already runs on this connection')
  inTransactions.add(sql)
  try {
    await begin()
    const result = await work()
    await sql`commit`
    return result
  } catch (error) {
    // After an outage the pool closes the connection, and the server rolls back on its own. Right after a
    // reset, the client would accept another statement and never end it.
    if (!isOutage(error)) await rollBack(sql)
    throw error
  } finally {
    inTransactions.delete(sql)
  }
}

/** If the connection is lost, the server rolls back on its own. */
async function rollBack(sql: Sql): Promise<void> {
  try {
    await sql`rollback`
  } catch {}
}

/** Runs a statement that both engines share. */
export async function execute<Given extends Values, Result>(
  sql: Sql,
  { strings, names, toResult }: Statement<Given, Result>,
  values: Given,
): Promise<Result> {
  const parameters = names.map((name) => values[name] as string)
  return toResult(await sql<never[]>(strings, ...parameters))
}

/** A part of a statement. */
export type Fragment = PendingQuery<Row[]>

/** Searches for texts, as parts of statements or whole statements. */
const searches = new WeakSet<object>()

/**
 * Lets PostgreSQL plan each statement that contains this part for its values. For a prepared statement, it may use one plan
 * for all values, which expects a text that is searched for to be rare: a search for a common text then takes a second.
 */
export function plannedForValues(part: Fragment): Fragment {
  searches.add(part)
  // The types of the client lack the options of a statement.
  const { options } = part as unknown as { options: { prepare?: boolean } }
  options.prepare = false
  return part
}

function isPlannedForValues(value: unknown): boolean {
  return typeof value === 'object' && value !== null && searches.has(value)
}

/** Joins the conditions by `and`. */
export function allOf(sql: Sql, conditions: Fragment[]): Fragment {
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}

type Marked<Row> = Row & { is_row: true | null; page_total: number }

/**
 * Reads a page and the total of its list in one statement, so that they match while others change the list.
 * `count` selects `total`, `page` selects the rows of the page, and `order` is their sort order, in columns of the page.
 */
export async function readPageWithTotal<Row extends object>(
  sql: Sql,
  { count, page, order }: { count: Fragment; page: Fragment; order: Fragment },
): Promise<Rows<Row>> {
  // For an empty page, the join returns one row: it has the total, and null in the columns of the page.
  const rows = await sql<Marked<Row>[]>`
    select counted.total as page_total, page.*
    from (${count}) counted left join (select true as is_row, page.* from (${page}) page) page on true
    order by ${order}`
  const total = rows[0]?.page_total ?? 0
  return {
    rows: rows.flatMap(({ is_row, page_total, ...row }) => (is_row ? [row as Row] : [])),
    total,
  }
}

/**
 * The array types that our statements use. By default, the client queries the types of the database before its first
 * statement, and if the connection breaks meanwhile, nothing handles the failure of that query, which ends the process.
 */
const ARRAY_TYPES: Record<string, PostgresType> = {
  int4Array: arrayOf(1007, Number),
  textArray: arrayOf(1009, String),
  int8Array: arrayOf(1016, Number),
  timestamptzArray: arrayOf(1185, (text) => new Date(text)),
  uuidArray: arrayOf(2951, String),
}

/** The type with this OID, which is the same in every database. */
function arrayOf<Element>(oid: number, parseElement: (text: string) => Element): PostgresType {
  return {
    to: oid,
    from: [oid],
    serialize: (elements: readonly (string | number | null)[]) => `{${elements.map(quote).join()}}`,
    parse: (text: string) => parse(text, parseElement),
  }
}

function quote(element: string | number | null): string {
  return element === null ? 'null' : `"${String(element).replace(/["\\]/g, '\\$&')}"`
}

/** Codes of the client and the server for temporary failures, as opposed to wrong statements. */
const OUTAGE =
  /^(CONNECT|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|08|53|57P|57014|58|XX000)/

/** Codes of Node for a TLS connection that fails, such as after the server's certificate has expired. */
const TLS_FAILURE =
  /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_CA|EPROTO)/

const COLLISION = /^(40001|40P01)$/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function isOutage(error: unknown): boolean {
  return error instanceof EngineUnavailable || OUTAGE.test(codeOf(error)) || isTlsFailure(error)
}

export function isTlsFailure(error: unknown): boolean {
  return TLS_FAILURE.test(codeOf(error))
}

/**
 * Whether it is a deadlock or a serialization failure, or a newer version has added a column to a table that a prepared
 * statement returns rows of. The transaction was rolled back, and may run again.
 */
export function isCollision(error: unknown): boolean {
  return COLLISION.test(codeOf(error)) || isOutdatedPlan(error)
}

/** The client prepares such a statement again, but within a transaction its error has already ended the transaction. */
function isOutdatedPlan(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'
}

/** Whether a lock was not available within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/** Turns an outage or a collision into `EngineUnavailable`. Returns any other error unchanged. */
export function toOutage(error: unknown): unknown {
  const isUnavailable = isCollision(error) || isOutage(error)
  if (!isUnavailable || error instanceof EngineUnavailable) return error
  return new EngineUnavailable('database', error)
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    codeOf(error) === '23505' &&
    error instanceof Error &&
    'constraint_name' in error &&
    error.constraint_name === constraint
  )
}
