import { until } from '@stowage/testing/machine/until'
import postgres from 'postgres'
import type { Context } from '../../src/operations/context.ts'

/**
 * A context for the jobs in which uploads are not kept at all: those that `makeOverdue` was called
 * for end in the next run, also if a part of them has just been received.
 */
export function keepingNothing(context: Context): Context {
  return { ...context, settings: { ...context.settings, uploadsKeptForMs: 0 } }
}

/** A context for the jobs in which the database's clock is this far ahead. */
export function inHours(context: Context, hours: number): Context {
  return at(context, () => Date.now() + hours * 3_600_000)
}

/** A context for the jobs in which the database's clock shows this time. */
export function at(context: Context, time: () => number): Context {
  const readClock = async () => new Date(time())
  return { ...context, database: { ...context.database, readClock } }
}

/**
 * Waits until the time of every upload is up, also of those whose request was never answered. Only
 * for settings that keep uploads for seconds, and when no upload is begun any more.
 */
export async function untilAllOverdue({ settings }: Context): Promise<void> {
  const begin = Date.now()
  const { uploadsKeptForMs: keptForMs } = settings
  const isOver = () => Date.now() - begin > keptForMs
  await until('every upload was kept for long enough', isOver, 2 * keptForMs)
}

/** The time of every upload in this PostgreSQL database is up, known to a client or not. */
export async function makeAllOverdue(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`update assets set expires_at = now() where status in ('uploading', 'completing')`
  await sql.end()
}

/** As if nothing had happened to these uploads for so long that their time is up. */
export async function makeOverdue(
  { database }: Context,
  assetIds: Iterable<string>,
  accountName = 'default',
): Promise<void> {
  const account = await database.findAccount(accountName)
  const data = database.of(account?.id ?? '')
  for (const id of assetIds) await data.renewUpload(id, -1)
}
