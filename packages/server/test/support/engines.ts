import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import postgres from 'postgres'
import type { Environment } from '../../src/config/config.ts'
import { cleanUp } from './clean-up.ts'
import { diskBackdoor, type StorageBackdoor } from './in-storage.ts'
import { aBucket, readBucket } from './s3-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

export interface Engines {
  settings: Environment
  backdoor: StorageBackdoor
}

const S3_REGION = 'us-east-1'
const PREFIX = 'some/prefix/'

/**
 * The engines that the suite runs on: SQLite and disk, unless the environment names servers of
 * others. Every service of a test gets an empty database and an empty bucket of its own.
 */
export async function testEngines(t: TestContext, folder: string): Promise<Engines> {
  const { STOWAGE_TEST_POSTGRES: server, STOWAGE_TEST_S3: s3 } = process.env
  const database =
    server === undefined ? {} : { STOWAGE_DATABASE: await anEmptyDatabase(t, server) }
  if (s3 === undefined) return { settings: database, backdoor: diskBackdoor(folder) }
  const proxy = await startTcpProxy(Number(new URL(s3).port))
  cleanUp(t, () => proxy.stop())
  const bucket = await aBucket({ endpoint: s3, region: S3_REGION })
  return {
    settings: {
      ...database,
      STOWAGE_STORAGE: `s3://${bucket}/${PREFIX}`,
      STOWAGE_S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
      STOWAGE_S3_REGION: S3_REGION,
    },
    backdoor: {
      readObjects: () => readBucket({ endpoint: s3, region: S3_REGION, bucket, prefix: PREFIX }),
      async takeAway() {
        await proxy.stop()
        return () => proxy.start()
      },
    },
  }
}

async function anEmptyDatabase(t: TestContext, server: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(server, (sql) => sql`create database ${sql(name)}`)
  cleanUp(t, () => onServer(server, (sql) => sql`drop database ${sql(name)} with (force)`))
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function onServer(server: string, work: (sql: postgres.Sql) => Promise<unknown>) {
  const sql = postgres(server, { max: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}
