import { openPostgresDatabase } from '@stowage/server/src/database/postgres/postgres-database'

/** Runs the migrations in `template1`. PostgreSQL creates every database as a copy of it, so tests need not run them. */
export async function migrateTemplate(server: string): Promise<void> {
  const url = new URL(server)
  url.pathname = '/template1'
  const options = { poolSize: 1, statementTimeoutMs: 30_000, tls: 'off' } as const
  const template = await openPostgresDatabase({ ...options, url: url.href })
  await template.close()
}
