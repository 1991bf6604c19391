import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import postgres from 'postgres'
import { cleanUp } from '../machine/clean-up.ts'

/** Creates an empty database on the PostgreSQL server and drops it after the test. Returns its URL. */
export async function anEmptyDatabase(t: TestContext, server: string): Promise<string> {
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
