import type { TestContext } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import postgres from 'postgres'

/** The offset of the database's clock. */
export interface ClockShift {
  days: number
  /** Reverses the direction at every second reading. */
  isJumping?: boolean
}

export interface DatabaseClock {
  set(shift: ClockShift): Promise<void>
}

const DAY_MS = 24 * 3_600_000

/** Call this before the service opens the database. SQLite uses the clock of this process. */
export function shiftDatabaseClock(t: TestContext, settings: Environment): Promise<DatabaseClock> {
  const { STOWAGE_DATABASE: url } = settings
  return url === undefined ? shiftProcessClock(t) : shiftPostgresClock(t, url)
}

async function shiftProcessClock(t: TestContext): Promise<DatabaseClock> {
  const readClock = Date.now
  let shift: ClockShift = { days: 0 }
  let readings = 0
  Date.now = () => {
    readings += 1
    const sign = shift.isJumping && readings % 2 === 0 ? -1 : 1
    return readClock() + sign * shift.days * DAY_MS
  }
  cleanUp(t, () => {
    Date.now = readClock
  })
  return {
    async set(next) {
      shift = next
    },
  }
}

/** Functions of the schema `clock` replace those of PostgreSQL in every connection that is opened after this call. */
async function shiftPostgresClock(t: TestContext, url: string): Promise<DatabaseClock> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  const database = new URL(url).pathname.slice(1)
  await sql.unsafe(`
    create schema clock;
    create table clock.shift (days integer not null, is_jumping boolean not null);
    insert into clock.shift values (0, false);
    create sequence clock.readings;
    create function clock.shifted(real_time timestamptz) returns timestamptz language sql volatile as $$
      select real_time + days * interval '1 day' *
        case when is_jumping and nextval('clock.readings') % 2 = 0 then -1 else 1 end
      from clock.shift $$;
    create function clock.now() returns timestamptz language sql volatile as
      $$ select clock.shifted(pg_catalog.now()) $$;
    create function clock.clock_timestamp() returns timestamptz language sql volatile as
      $$ select clock.shifted(pg_catalog.clock_timestamp()) $$;
    alter database ${database} set search_path = clock, public, pg_catalog;
  `)
  return {
    async set({ days, isJumping = false }) {
      await sql`update clock.shift set days = ${days}, is_jumping = ${isJumping}`
    },
  }
}
