import { startCeph, whyNoCeph } from './support/ceph.ts'
import { startPostgres } from './support/postgres.ts'
import { runTests } from './support/run-tests.ts'
import { credentialsOf } from './support/s3-server.ts'

/**
 * Runs tests with the service on other engines than SQLite and disk:
 *
 *     node packages/server/test/on-engines.ts postgres FILE…
 *     node packages/server/test/on-engines.ts postgres+ceph FILE…
 */
const [engines = '', ...files] = process.argv.slice(2)

async function run(): Promise<number> {
  const missing = engines.includes('ceph') ? await whyNoCeph() : undefined
  if (missing !== undefined) {
    console.error(`not tested on ${engines}: ${missing}`)
    return process.env.CI === 'true' ? 1 : 0
  }
  const postgres = await startPostgres()
  const ceph = engines.includes('ceph') ? await startCeph() : undefined
  try {
    return await runTests(files, {
      STOWAGE_TEST_POSTGRES: postgres.url,
      ...(ceph && { STOWAGE_TEST_S3: ceph.endpoint, ...credentialsOf(ceph) }),
    })
  } finally {
    await ceph?.close()
    await postgres.close()
  }
}

// Said outright: what the servers leave behind must not decide it.
process.exit(await run())
