import { until } from '@stowage/testing/machine/until'
import postgres from 'postgres'
import type { Context } from '../../src/operations/context.ts'

/**
 * A context for the jobs with an upload retention of zero: uploads that `moveExpiryToPast` was called
 * for expire in the next run, even if one of their parts has just been received.
 */
export function withoutRetention(context: Context): Context {
  return { ...context, settings: { ...context.settings, uploadsKeptForMs: 0 } }
}

/** A context for the jobs in which the database clock is this many hours ahead. */
export function withClockAhead(context: Context, hours: number): Context {
  return withClock(context, () => Date.now() + hours * 3_600_000)
}

/** A context for the jobs in which the database clock returns this time. */
export function withClock(context: Context, time: () => number): Context {
  const readClock = async () => new Date(time())
  return { ...context, database: { ...context.database, readClock } }
}

/**
 * Waits until every upload has passed its expiry, including uploads whose request got no response. Use it
 * only with a retention of seconds, and after the last upload has started.
 */
export async function untilAllPastExpiry({ settings }: Context): Promise<void> {
  const begin = Date.now()
  const { uploadsKeptForMs: keptForMs } = settings
  const isOver = () => Date.now() - begin > keptForMs
  await until('every upload has passed its expiry', isOver, 2 * keptForMs)
}

/** Moves the expiry of every upload in this PostgreSQL database to now. */
export async function moveAllExpiriesToPast(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`update assets set expires_at = now() where status in ('uploading', 'completing')`
  await sql.end()
}

/** Moves the expiry of these uploads to the past, as if they had been inactive for long enough. */
export async function moveExpiryToPast(
  { database }: Context,
  assetIds: Iterable<string>,
  accountName = 'default',
): Promise<void> {
  const account = await database.findAccount(accountName)
  const data = database.of(account?.id ?? '')
  for (const id of assetIds) await data.renewUpload(id, -1)
}
