import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import { cleanUp } from '../machine/clean-up.ts'
import { startTcpProxy } from '../proxies/tcp-proxy.ts'
import { anEmptyDatabase } from './empty-database.ts'
import { aBucket, emptyBucket, readBucket, readUploadsIn } from './s3-server.ts'
import { diskBackdoor, type StorageBackdoor } from './storage-backdoor.ts'

export interface Engines {
  settings: Environment
  backdoor: StorageBackdoor
}

/** For a test that must know, as S3 takes no parts below 5 MiB and its transfers pass by us. */
export const isOnS3 = process.env.STOWAGE_TEST_S3 !== undefined

/** Whether they are SQLite and disk. */
export const areEmbedded = !isOnS3 && process.env.STOWAGE_TEST_POSTGRES === undefined

/** Their names, for results. */
export const ENGINES = areEmbedded ? 'sqlite-disk' : isOnS3 ? 'postgres-s3' : 'postgres-disk'

const S3_REGION = 'us-east-1'
const PREFIX = 'some/prefix/'

/**
 * The engines that the suite runs on: SQLite and disk, unless the environment names servers of
 * others. Every service of a test gets an empty database and an empty bucket of its own. S3 is reached
 * through a proxy of ours, which can be stopped, unless it is said that nobody will do so.
 */
export async function testEngines(
  t: TestContext,
  folder: string,
  { isReliable }: { isReliable: boolean },
): Promise<Engines> {
  const { STOWAGE_TEST_POSTGRES: server, STOWAGE_TEST_S3: s3 } = process.env
  const database =
    server === undefined ? {} : { STOWAGE_DATABASE: await anEmptyDatabase(t, server) }
  if (s3 === undefined) return { settings: database, backdoor: diskBackdoor(folder) }
  const proxy = isReliable ? undefined : await startTcpProxy(Number(new URL(s3).port))
  cleanUp(t, () => proxy?.stop())
  const bucket = await aBucket({ endpoint: s3, region: S3_REGION })
  const place = { endpoint: s3, region: S3_REGION, bucket, prefix: PREFIX }
  cleanUp(t, () => emptyBucket(place))
  return {
    settings: {
      ...database,
      STOWAGE_STORAGE: `s3://${bucket}/${PREFIX}`,
      STOWAGE_S3_ENDPOINT: proxy === undefined ? s3 : `http://127.0.0.1:${proxy.port}`,
      STOWAGE_S3_REGION: S3_REGION,
    },
    backdoor: {
      readObjects: () => readBucket(place),
      async takeAway() {
        assert.ok(proxy, 'this storage is reliable')
        await proxy.stop()
        return () => proxy.start()
      },
      async assertHoldsOnly(objects) {
        assert.deepEqual(await readBucket(place), objects.map(({ id }) => id).sort())
        assert.deepEqual(await readUploadsIn(place), [])
      },
    },
  }
}
