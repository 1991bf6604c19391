import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from './support/postgres.ts'

/**
 * Runs tests with the service on PostgreSQL instead of SQLite:
 *
 *     node packages/server/test/on-postgres.ts FILE…
 */
const server = await startPostgres()
const child = spawn(process.execPath, ['--test', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, STOWAGE_TEST_POSTGRES: server.url },
})
const [code] = await once(child, 'exit')
await server.close()
process.exitCode = code ?? 1
