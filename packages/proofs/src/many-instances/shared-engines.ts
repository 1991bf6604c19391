import { after, type TestContext, test } from 'node:test'
import { S3_SMALLEST_PART } from '@stowage/server/src/config/engines'
import type { Database } from '@stowage/server/src/database/database'
import { openPostgresDatabase } from '@stowage/server/src/database/postgres/postgres-database'
import { missingForCeph, startCeph } from '@stowage/testing/engines/ceph'
import { startPostgres } from '@stowage/testing/engines/postgres'
import { aBucket, credentialsOf, readBucket } from '@stowage/testing/engines/s3-server'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { aServiceProcess, type ServiceProcess } from '@stowage/testing/service/service-process'

export const CHUNK = S3_SMALLEST_PART

/** An engine that can be stopped and started while instances use it. */
export interface RestartableEngine {
  stop(): Promise<void>
  start(): Promise<void>
}

/** An empty database and an empty bucket, for any number of instances. */
export interface SharedDeployment {
  settings: Record<string, string>
  /** A separate connection, for access without an instance. */
  database: Database
  /** The keys of all objects in the bucket. */
  readObjects(): Promise<string[]>
  /** A wrapper is a command line that replaces itself with the service by exec. */
  start(settings?: Record<string, string>, wrapper?: string[]): Promise<ServiceProcess>
}

/** A database without tables, which the first instance creates. */
export type EmptyDeployment = Omit<SharedDeployment, 'database'>

export interface SharedEngines {
  postgres: RestartableEngine
  ceph: RestartableEngine
  deploy(t: TestContext): Promise<SharedDeployment>
  deployEmpty(t: TestContext): Promise<EmptyDeployment>
}

/** Runs tests on one PostgreSQL and one Ceph, which stop after the last test of the process. */
export async function withSharedEngines(name: string, tests: (engines: SharedEngines) => void) {
  const missing = await missingForCeph()
  if (missing !== undefined) {
    test(name, (t) => skipUnlessCi(t, missing))
    return
  }
  starting ??= startEngines()
  tests(await starting)
}

/** Files in one process share the engines. Their tests run one after the other. */
let starting: Promise<SharedEngines> | undefined

async function startEngines(): Promise<SharedEngines> {
  const postgres = await startPostgres()
  after(() => postgres.close())
  const ceph = await startCeph()
  after(() => ceph.close())
  const { server } = postgres
  let count = 0

  async function deployEmpty(t: TestContext): Promise<EmptyDeployment> {
    count += 1
    const name = `test_${count}`
    // Not dropped: killed instances leave connections, and the server stops after the tests anyway.
    await server.createDatabase(name)
    const url = postgres.url.replace(/postgres$/, name)
    Object.assign(process.env, credentialsOf(ceph))
    const { endpoint, region } = ceph
    const bucket = await aBucket({ endpoint, region })
    const settings = {
      STOWAGE_DATA: await aFolder(t),
      STOWAGE_DATABASE: url,
      STOWAGE_STORAGE: `s3://${bucket}`,
      // This setting is only for the disk storage.
      STOWAGE_STORAGE_PORT: '',
      STOWAGE_S3_ENDPOINT: endpoint,
      STOWAGE_S3_REGION: region,
      STOWAGE_CHUNK_SIZE: String(CHUNK),
      STOWAGE_LOG: 'warn',
    }
    return {
      settings,
      readObjects: () => readBucket({ endpoint, region, bucket, prefix: '' }),
      start: (more, wrapper) => aServiceProcess(t, { ...settings, ...more }, undefined, wrapper),
    }
  }

  return {
    postgres: { stop: () => server.stop(), start: () => server.start() },
    ceph,
    deployEmpty,
    async deploy(t) {
      const deployment = await deployEmpty(t)
      const url = deployment.settings.STOWAGE_DATABASE ?? ''
      const options = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
      const database = await openPostgresDatabase({ url, ...options })
      cleanUp(t, () => database.close())
      return { ...deployment, database }
    },
  }
}
