import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import postgres from 'postgres'
import type { Environment } from '../../src/config/config.ts'
import { cleanUp } from './clean-up.ts'
import { aBucket } from './s3-server.ts'

/**
 * The engines that the suite runs on: SQLite and disk, unless the environment names servers of
 * others. Every service of a test gets an empty database and an empty bucket of its own.
 */
export async function engineSettings(t: TestContext): Promise<Environment> {
  const { STOWAGE_TEST_POSTGRES: server, STOWAGE_TEST_S3: endpoint } = process.env
  return {
    ...(server !== undefined && { STOWAGE_DATABASE: await anEmptyDatabase(t, server) }),
    ...(endpoint !== undefined && {
      STOWAGE_STORAGE: `s3://${await aBucket({ endpoint, region: S3_REGION })}/some/prefix`,
      STOWAGE_S3_ENDPOINT: endpoint,
      STOWAGE_S3_REGION: S3_REGION,
    }),
  }
}

const S3_REGION = 'us-east-1'

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
