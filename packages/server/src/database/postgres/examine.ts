import { skewText } from '../../domain/clock-skew.ts'
import type { Finding } from '../../domain/finding.ts'
import { examineMigrations } from '../migrate.ts'
import {
  isTlsFailure,
  openConnection,
  type PostgresOptions,
  requireServer,
  type Sql,
  UNREADABLE_FILE,
} from './connection.ts'
import { listApplied, MIGRATIONS } from './migrations.ts'

const OLDEST_VERSION = 14

const INDEX_NAMES = [
  'assets_names',
  'assets_paths',
  'products_names',
  'products_texts',
  'orders_texts',
]
const SEARCH_INDEXES = `create extension if not exists pg_trgm;
create index concurrently if not exists assets_names on assets
  using gin (search_name gin_trgm_ops) where status = 'ready';
create index concurrently if not exists assets_paths on assets
  using gin (search_path gin_trgm_ops) where status = 'ready' and folder is not null;
create index concurrently if not exists products_names on products
  using gin (search_name gin_trgm_ops);
create index concurrently if not exists products_texts on products
  using gin (search_text gin_trgm_ops);
create index concurrently if not exists orders_texts on orders
  using gin (search_text gin_trgm_ops);`

/** Checks the server and the database without changing anything. Stops when later checks can't work. */
export async function* examinePostgres(
  options: PostgresOptions & { clock: () => Date },
): AsyncIterable<Finding> {
  const connection = openConnection(options)
  const { sql } = connection
  try {
    await requireServer(connection, options)
    yield await examineServer(sql, options.clock)
    if (hasUnusedCertificates(options)) yield UNUSED_CERTIFICATES
    const applied = await listApplied(sql)
    if (applied === undefined) {
      yield await examineEmpty(sql)
      return
    }
    yield await examineMigrations(applied, MIGRATIONS)
    yield await examineSearch(sql)
  } catch (error) {
    yield explain(error, options.url)
  } finally {
    await connection.close()
  }
}

/** Whether the URL names certificates, although the connection is not encrypted. */
function hasUnusedCertificates({ url, tls }: Pick<PostgresOptions, 'url' | 'tls'>): boolean {
  return tls === 'off' && /[?&]ssl(rootcert|cert)=/.test(url)
}

const UNUSED_CERTIFICATES: Finding = {
  check: 'database',
  status: 'note',
  message:
    'the connection is not encrypted, so the certificates in STOWAGE_DATABASE have no effect',
  remedy:
    'add sslmode=verify-full to STOWAGE_DATABASE, and unset STOWAGE_DATABASE_TLS if it is set',
}

async function examineServer(sql: Sql, clock: () => Date): Promise<Finding> {
  const check = 'database'
  const [server] = await sql<{ version: string; number: number; now: Date }[]>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int as number, clock_timestamp() as now`
  const { version = '', number = 0, now = clock() } = server ?? {}
  if (number < OLDEST_VERSION * 10_000) {
    const message = `PostgreSQL ${version} is too old: version ${OLDEST_VERSION} or later is needed`
    return { check, status: 'error', message }
  }
  const skew = skewText(clock().getTime() - now.getTime())
  if (skew !== undefined) {
    const message = `PostgreSQL ${version} responds, but this machine's clock is ${skew}`
    return { check, status: 'note', message, remedy: 'timedatectl set-ntp true' }
  }
  return { check, status: 'ok', message: `PostgreSQL ${version} responds` }
}

async function examineEmpty(sql: Sql): Promise<Finding> {
  const check = 'database'
  const [row] = await sql<{ may: boolean; name: string }[]>`
    select has_schema_privilege(current_schema(), 'create') as may, current_user as name`
  if (row?.may) {
    const message =
      'the database is empty; the service creates its tables when it starts, unless STOWAGE_MIGRATE is off'
    return { check, status: 'pending', message }
  }
  const message = `the database is empty, and ${row?.name} is not allowed to create tables in it`
  const remedy = `grant create, usage on schema public to ${row?.name};`
  return { check, status: 'error', message, remedy }
}

async function examineSearch(sql: Sql): Promise<Finding> {
  const check = 'database'
  const indexes = await sql`
    select from pg_indexes where schemaname = current_schema()
      and indexname = any(${INDEX_NAMES}::text[])`
  if (indexes.length === INDEX_NAMES.length) {
    return { check, status: 'ok', message: 'the search uses trigram indexes' }
  }
  const message =
    'a trigram index is missing, so a search may read every name; run as a user with the required privileges:'
  return { check, status: 'note', message, remedy: SEARCH_INDEXES }
}

/** No remedy switches the verification off: anyone on the network could then read the password. */
function tlsRemedy(code: string): string {
  if (/^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(code)) {
    return "add the certificate of the CA that signed the server's certificate to STOWAGE_DATABASE: sslrootcert=FILE. Providers of hosted databases offer it for download"
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return "use a host name in STOWAGE_DATABASE that the server's certificate is valid for, or let the server use a certificate for this one"
  }
  if (/^CERT_/.test(code)) {
    return 'renew the certificate of the server, and check the clock of this machine'
  }
  if (/^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)/.test(code)) {
    return 'add sslcert=FILE and sslkey=FILE to STOWAGE_DATABASE, with a client certificate that the server accepts'
  }
  if (/^ERR_SSL_/.test(code)) {
    return 'enable TLS on the server. If it requires client certificates, add sslcert=FILE and sslkey=FILE to STOWAGE_DATABASE'
  }
  return 'enable TLS on the server (ssl = on)'
}

function explain(error: unknown, url: string): Finding {
  const { hostname, port, pathname, username } = new URL(url)
  const host = `${hostname}:${port || 5432}`
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = error instanceof Error ? error.message : String(error)
  const wrong = (message: string, remedy: string): Finding => ({
    check: 'database',
    status: 'error',
    message,
    remedy,
  })
  if (/^28/.test(code) && /no encryption|SSL off/.test(reason)) {
    const remedy = `add sslmode=verify-full to STOWAGE_DATABASE, and sslrootcert=FILE if the server's CA is not a public one. Unset STOWAGE_DATABASE_TLS if it is set`
    return wrong(`PostgreSQL at ${host} requires TLS: ${reason}`, remedy)
  }
  if (/^28/.test(code) && /certificate/.test(reason)) {
    const remedy =
      'add sslcert=FILE and sslkey=FILE with the certificate of the role to STOWAGE_DATABASE'
    return wrong(`PostgreSQL at ${host} requires a client certificate: ${reason}`, remedy)
  }
  if (/^28/.test(code)) {
    const remedy = 'set the correct user and password in STOWAGE_DATABASE'
    return wrong(`PostgreSQL at ${host} rejects the login of ${username}: ${reason}`, remedy)
  }
  if (code === '3D000') {
    const name = pathname.slice(1)
    const server = `--host ${hostname} --port ${port || 5432}`
    const command = `createdb ${server} --owner ${username} --encoding UTF8 --template template0 ${name}`
    return wrong(`PostgreSQL at ${host} has no database ${name}`, command)
  }
  if (code === '42501') {
    const remedy = `make ${username} the owner of the database, or grant it all privileges on its tables`
    return wrong(`${username} lacks privileges in the database: ${reason}`, remedy)
  }
  if (code === UNREADABLE_FILE) {
    const remedy =
      'correct the path or the file, and let the user that runs the service read the file'
    return wrong(reason, remedy)
  }
  if (isTlsFailure(error) || /\b(TLS|SSL|certificate)\b/i.test(reason)) {
    const message = `the TLS connection to PostgreSQL at ${host} failed: ${reason}`
    return wrong(message, tlsRemedy(code))
  }
  const isUnreachable = code === '' || /^(CONNECT|E[A-Z]+$)/.test(code)
  if (!isUnreachable) {
    return wrong(`PostgreSQL at ${host} reports an error: ${reason}`, 'check its log')
  }
  const remedy = 'start the server, or correct STOWAGE_DATABASE'
  return wrong(`PostgreSQL does not respond at ${host}: ${reason}`, remedy)
}
