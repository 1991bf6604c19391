import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import postgres from 'postgres'
import { cleanUp } from '../machine/clean-up.ts'

/**
 * Creates a database on the PostgreSQL server and drops it after the test. It is empty if the template is
 * `template0`. Returns its URL.
 */
export async function aDatabase(
  t: TestContext,
  server: string,
  template: 'template0' | 'template1' = 'template1',
): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(server, (sql) => sql`create database ${sql(name)} template ${sql(template)}`)
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
