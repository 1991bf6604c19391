import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import postgres from 'postgres'
import { cleanUp } from '../machine/clean-up.ts'

type Template = 'template0' | 'template1'

/** PostgreSQL 15 introduced `strategy`. Version 14 always copies the files. */
const FIRST_WITH_STRATEGIES = 150_000

/**
 * Creates a database on the PostgreSQL server and drops it after the test. It is empty if the template is
 * `template0`. Returns its URL.
 */
export async function aDatabase(
  t: TestContext,
  server: string,
  template?: Template,
): Promise<string> {
  const { url, drop } = await createDatabase(server, template)
  cleanUp(t, drop)
  return url
}

/** Creates a database that several tests use. The caller drops it. */
export async function createDatabase(server: string, template: Template = 'template1') {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const sql = connectionTo(server)
  const [version] = await sql`show server_version_num`
  // Copying the files of the template takes a quarter of the CPU time of copying its pages.
  const strategy =
    Number(version?.server_version_num) < FIRST_WITH_STRATEGIES ? sql`` : sql`strategy file_copy`
  await sql`create database ${sql(name)} template ${sql(template)} ${strategy}`
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      await sql`drop database ${sql(name)} with (force)`
    },
  }
}

/**
 * One connection to each server for all tests of the process, because connecting takes as long as the
 * statements. It closes after a second without use, so that the process can end.
 */
function connectionTo(server: string): postgres.Sql {
  const connection = connections.get(server) ?? postgres(server, { max: 1, idle_timeout: 1 })
  connections.set(server, connection)
  return connection
}
const connections = new Map<string, postgres.Sql>()
