import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingForCeph, startCeph } from '../engines/ceph.ts'
import { migrateTemplate, startPostgres } from '../engines/postgres.ts'
import { credentialsOf } from '../engines/s3-server.ts'
import { createSqliteTemplate } from '../engines/test-engines.ts'
import { runTests } from './run-tests.ts'
import { selectTestFiles } from './test-files.ts'

/**
 * Runs tests with the service on a pair of engines: the files that are named, and those of the folders that run on these
 * engines (test-files.ts).
 *
 *     node packages/testing/src/stages/on-engines.ts sqlite+disk FOLDER_OR_FILE…
 *     node packages/testing/src/stages/on-engines.ts postgres+disk FOLDER_OR_FILE…
 *     node packages/testing/src/stages/on-engines.ts postgres+ceph FOLDER_OR_FILE…
 *     node packages/testing/src/stages/on-engines.ts own-engines FOLDER_OR_FILE…   the tests start their engines
 */
const [engines = '', ...patterns] = process.argv.slice(2)

async function run(): Promise<number> {
  const files = selectTestFiles(engines, patterns)
  if (files.length === 0) throw new Error(`No test in ${patterns.join(' ')} runs on ${engines}`)
  const missing = engines.includes('ceph') ? await missingForCeph() : undefined
  if (missing !== undefined) {
    console.error(`Skipped on ${engines}: ${missing}`)
    return process.env.CI === 'true' ? 1 : 0
  }
  const [postgres, ceph] = await Promise.all([
    engines.includes('postgres') ? startPostgres() : undefined,
    engines.includes('ceph') ? startCeph() : undefined,
  ])
  const folder = await mkdtemp(join(tmpdir(), 'stowage-template-'))
  try {
    if (postgres !== undefined) await migrateTemplate(postgres.url)
    return await runTests(files, {
      TEST_SQLITE_TEMPLATE: await createSqliteTemplate(folder),
      ...(postgres && { STOWAGE_TEST_POSTGRES: postgres.url }),
      ...(ceph && {
        STOWAGE_TEST_S3: ceph.endpoint,
        STOWAGE_TEST_CEPH: ceph.settings,
        ...credentialsOf(ceph),
      }),
    })
  } finally {
    await rm(folder, { recursive: true })
    await ceph?.close()
    await postgres?.close()
  }
}

async function exitCode(): Promise<number> {
  try {
    return await run()
  } catch (error) {
    console.error(`The tests did not run. ${error instanceof Error ? error.message : error}`)
    return 1
  }
}

// Exit explicitly: a handle that a server left open must not keep the process running.
process.exit(await exitCode())
