import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openConnection } from '@stowage/server/src/database/postgres/connection'
import { until } from '@stowage/testing/machine/until'
import type { Deployment } from '@stowage/testing/service/service'

type Sql = ReturnType<typeof openConnection>['sql']

/**
 * Ends the leases of all mails that killed instances were sending, as if the time that they take had passed. No instance
 * may run. Returns their Message-IDs: the results of these were not recorded.
 */
export async function endLeases({ folder, settings }: Deployment): Promise<string[]> {
  const { STOWAGE_DATABASE: url } = settings
  if (url !== undefined) {
    const options = { poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' } as const
    const { sql, close } = openConnection({ ...options, url })
    return endLeasesOn(sql).finally(close)
  }
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  const sending = database.prepare("select message_id from mails where state = 'sending'").all()
  database.exec("update mails set due_at = 0 where state = 'sending'")
  database.close()
  return sending.map((row) => String(row.message_id))
}

/** The same on PostgreSQL. */
export async function endLeasesOn(sql: Sql): Promise<string[]> {
  // A statement that was under way at a kill can be committed after it: a claim, or the record of a result.
  await until('PostgreSQL has closed the connections of the killed instances', async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
    return row?.count === 0
  })
  const sending = await sql<{ message_id: string }[]>`
    update mails set due_at = clock_timestamp() where state = 'sending' returning message_id`
  return sending.map((row) => row.message_id)
}
