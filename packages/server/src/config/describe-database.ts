import type { Config } from './config.ts'

/** Names the database without the user and the password of its URL. */
export function describeDatabase({ database, dataDirectory }: Config): string {
  if (database.kind === 'sqlite') return `SQLite in ${dataDirectory}`
  const { host, pathname, searchParams } = new URL(database.url)
  return `PostgreSQL at ${host || searchParams.get('host') || 'localhost'}${pathname}`
}
