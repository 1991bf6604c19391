import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import postgres from 'postgres'
import type { Environment } from '../../src/config/config.ts'
import { cleanUp } from './clean-up.ts'

/**
 * The engines that the suite runs on: SQLite and disk, unless the environment names others. Every
 * service of a test gets an empty database of its own.
 */
export async function engineSettings(t: TestContext): Promise<Environment> {
  const server = process.env.STOWAGE_TEST_POSTGRES
  return server === undefined ? {} : { STOWAGE_DATABASE: await anEmptyDatabase(t, server) }
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
