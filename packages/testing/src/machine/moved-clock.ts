import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import postgres from 'postgres'

/**
 * Until the end of the test, shifts the clock of this process, which is that of the service, of SQLite and of the disk
 * storage. It is read at each use.
 */
export function moveClock(t: TestContext, shiftMs: () => number): void {
  const RealDate = Date
  cleanUp(t, () => {
    globalThis.Date = RealDate
  })
  globalThis.Date = class extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [RealDate.now() + shiftMs()] : args) as [number]))
    }
    static override now(): number {
      return RealDate.now() + shiftMs()
    }
  } as DateConstructor
}

/**
 * Returns a function that shifts the clock of a PostgreSQL database for all of its connections. The database must be empty or
 * migrated, and not yet in use. Without a URL, nothing happens: SQLite uses the clock of this process.
 */
export async function moveDatabaseClock(
  t: TestContext,
  url: string | undefined,
): Promise<(shiftMs: number) => Promise<void>> {
  if (url === undefined) return async () => {}
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  await sql`create schema moved_clock`
  await sql`create table moved_clock.shift as select 0::float8 as ms`
  await sql`
    create function moved_clock.clock_timestamp() returns timestamptz language sql volatile as
    $$ select pg_catalog.clock_timestamp() + (select ms from moved_clock.shift) * interval '1 millisecond' $$`
  // The first function with this name is the one that statements call.
  await sql`
    alter database ${sql(new URL(url).pathname.slice(1))}
    set search_path = moved_clock, public, pg_catalog`
  return async (shiftMs) => {
    await sql`update moved_clock.shift set ms = ${shiftMs}`
  }
}
