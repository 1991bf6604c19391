import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/service'
import { type Harness, openHarness } from '../interleavings/harness.ts'
import { TEST_CASES, type TestCase } from '../interleavings/test-cases.ts'
import { saveResult } from '../reliability/result.ts'
import { runWithFault } from './run-with-fault.ts'
import { type ClockShift, type DatabaseClock, shiftDatabaseClock } from './shift-database-clock.ts'

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
      command: `${isAll ? 'FAULTS=all ' : ''}npx node packages/testing/src/stages/on-engines.ts ${ENGINES.replace('-', '+').replace('s3', 'ceph')} packages/proofs/src/faults/database-clock.test.ts`,
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
    if (upload?.asset.status !== 'uploading') continue
    assert.ok(upload.expiresAt.getTime() < latest, `the upload expires only at ${upload.expiresAt}`)
  }
}
