import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import { ENGINES } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/service'
import postgres from 'postgres'
import { type Harness, openHarness } from '../interleavings/harness.ts'
import { TEST_CASES, type TestCase } from '../interleavings/test-cases.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { runWithFault } from './run-with-fault.ts'

/* Runs on postgres+disk. */

const CORRECT: ClockShift = { days: 0 }
/** Much longer than uploads are kept. */
const SHIFTS: Record<string, ClockShift> = {
  'ten years behind': { days: -3650 },
  'ten years ahead': { days: 3650 },
  'jumping by twenty years': { days: 3650, isJumping: true },
}
/** How much longer than usual an upload may be kept after the clock was wrong. */
const MARGIN_MS = 25 * 3_600_000

const rows: Record<string, string> = {}

/** `FAULTS=all`: every shift, during and before every call. */
const isAll = process.env.FAULTS === 'all'
/** The other calls use no timestamps, or the same ones as one of these calls. */
const USUAL_CALLS = [
  'sign with a key',
  'sign again with the same key',
  'complete',
  'complete again after an interrupted completion',
  'cancel',
  'resume',
  'resume an upload that the storage lost',
  'delete an upload',
  'delete an asset',
  'resize',
  'download',
  'expireUploads',
  'expireUploads, all parts sent',
  'expireUploads, object already stored',
  'finishCompletions',
  'finishCompletions, object already stored',
  'finishCompletions, part missing',
  'removeObjects, a cancelled upload',
  'removeObjects, a deleted asset',
  'removeOrphanedUploads, a cancelled upload',
  'removeOrphanedUploads, an open upload',
  'computeChecksums',
  'forgetEndedAssets',
]
const CALLS = TEST_CASES.filter(({ name }) => isAll || USUAL_CALLS.includes(name))

for (const [name, shift] of Object.entries(SHIFTS).filter(
  ([, { isJumping }]) => isAll || isJumping,
)) {
  test(`while the database's clock is ${name}, no complete file is lost, and the service recovers once the clock is correct`, async (t) => {
    const deployment = await aDeployment(t, { isReliable: true })
    const clock = await shiftDatabaseClock(t, deployment.settings)
    const harness = await openHarness(deployment.settings)
    cleanUp(t, () => harness.close())
    const failures: string[] = []
    for (const testCase of CALLS) {
      for (const when of ['during', 'before'] as const) {
        try {
          await (when === 'during' ? runDuringCall : runBeforeCall)(harness, testCase, {
            clock,
            shift,
          })
        } catch (failure) {
          failures.push(`${testCase.name}, ${when}: ${failure}`)
        } finally {
          await clock.set(CORRECT)
        }
      }
    }
    assert.equal(failures.length, 0, failures.join('\n\n'))
    await harness.close()
    await deployment.backdoor.assertHoldsOnly([], 10)
    rows[`Clock ${name}`] = `${2 * CALLS.length} calls and jobs; no data lost, orphaned or stuck`
    await saveResult(`database-clock-${ENGINES}`, {
      command: commandOf(import.meta.filename, { FAULTS: process.env.FAULTS }),
      rows,
    })
  })
}

interface Shifting {
  clock: DatabaseClock
  shift: ClockShift
}

/** The clock is wrong during the call. */
async function runDuringCall(
  harness: Harness,
  testCase: TestCase,
  { clock, shift }: Shifting,
): Promise<void> {
  await runWithFault(harness, testCase, {
    begin: () => clock.set(shift),
    end: () => clock.set(CORRECT),
    mayExpire: true,
    repeatsJobs: true,
    check: (ids) => checkExpiry(harness, ids),
  })
}

/** The clock is wrong during the calls that prepare the test case, and correct during its call. */
async function runBeforeCall(
  harness: Harness,
  testCase: TestCase,
  { clock, shift }: Shifting,
): Promise<void> {
  await clock.set(shift)
  await runWithFault(harness, testCase, {
    begin: () => clock.set(CORRECT),
    end() {},
    mayExpire: true,
    repeatsJobs: true,
    check: (ids) => checkExpiry(harness, ids),
  })
}

/** No upload may be kept for years because its expiry was set by a clock that was ahead. */
async function checkExpiry({ context, account }: Harness, ids: string[]): Promise<void> {
  const latest = Date.now() + context.settings.uploadsKeptForMs + MARGIN_MS
  for (const id of ids) {
    const upload = await context.database.of(account.id).findUpload(id)
    if (upload?.status !== 'uploading') continue
    assert.ok(upload.expiresAt.getTime() < latest, `the upload expires only at ${upload.expiresAt}`)
  }
}

/** The offset of the database's clock. */
interface ClockShift {
  days: number
  /** Reverses the direction at every second reading. */
  isJumping?: boolean
}

interface DatabaseClock {
  set(shift: ClockShift): Promise<void>
}

const DAY_MS = 24 * 3_600_000

/** Call this before the service opens the database. SQLite uses the clock of this process. */
function shiftDatabaseClock(t: TestContext, settings: Environment): Promise<DatabaseClock> {
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
