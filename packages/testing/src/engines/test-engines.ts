import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import { cleanUp } from '../machine/clean-up.ts'
import { startTcpProxy } from '../proxies/tcp-proxy.ts'
import { copySqliteTemplate } from './sqlite-template.ts'
import { diskBackdoor, type StorageBackdoor } from './storage-backdoor.ts'

export interface Engines {
  settings: Environment
  backdoor: StorageBackdoor
}

/** Whether the suite runs on S3, where settings require parts of at least 5 MiB and transfers bypass the service. */
export const isOnS3 = process.env.STOWAGE_TEST_S3 !== undefined

/** Whether the suite runs on SQLite and disk. */
export const areEmbedded = !isOnS3 && process.env.STOWAGE_TEST_POSTGRES === undefined

/** The names of the engines, as used in result files. */
export const ENGINES = areEmbedded ? 'sqlite-disk' : isOnS3 ? 'postgres-s3' : 'postgres-disk'

const S3_REGION = 'us-east-1'
const PREFIX = 'some/prefix/'

/**
 * The engines that the suite runs on: SQLite and disk, unless the environment names other servers. Each
 * call creates a new, empty database and bucket. S3 is reached through a proxy, which a test can stop,
 * unless `isReliable` is set.
 */
export async function testEngines(
  t: TestContext,
  folder: string,
  { isReliable }: { isReliable: boolean },
): Promise<Engines> {
  const { STOWAGE_TEST_POSTGRES: server, STOWAGE_TEST_S3: s3 } = process.env
  const database: Environment = {}
  // The modules of these engines are loaded only if they are used, because that takes long in each process.
  if (server !== undefined) {
    const { aDatabase } = await import('./a-database.ts')
    database.STOWAGE_DATABASE = await aDatabase(t, server)
    database.STOWAGE_DATABASE_POOL = '4'
  } else await copySqliteTemplate(join(folder, 'stowage.db'))
  if (s3 === undefined) return { settings: database, backdoor: diskBackdoor(folder) }
  const { aBucket, emptyBucket, readBucket, readUploadsIn } = await import('./s3-server.ts')
  const proxy = isReliable ? undefined : await startTcpProxy(Number(new URL(s3).port))
  cleanUp(t, () => proxy?.stop())
  const bucket = await aBucket({ endpoint: s3, region: S3_REGION })
  const location = { endpoint: s3, region: S3_REGION, bucket, prefix: PREFIX }
  cleanUp(t, () => emptyBucket(location))
  return {
    settings: {
      ...database,
      STOWAGE_STORAGE: `s3://${bucket}/${PREFIX}`,
      STOWAGE_S3_ENDPOINT: proxy === undefined ? s3 : `http://127.0.0.1:${proxy.port}`,
      STOWAGE_S3_REGION: S3_REGION,
    },
    backdoor: {
      readObjects: () => readBucket(location),
      async makeUnavailable() {
        assert.ok(proxy, 'storage with isReliable cannot be made unavailable')
        await proxy.stop()
        return () => proxy.start()
      },
      async assertHoldsOnly(objects) {
        assert.deepEqual(await readBucket(location), objects.map(({ id }) => id).sort())
        assert.deepEqual(await readUploadsIn(location), [])
      },
    },
  }
}
