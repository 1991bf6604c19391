import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/service'
import type { Command } from '../model/commands.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { aSample } from '../sample.ts'
import {
  CONCURRENT_ASSET_CALLS,
  CONCURRENT_CALLS,
  CONCURRENT_ESTIMATE_CALLS,
  CONCURRENT_TRASH_CALLS,
  CONCURRENT_VERSION_CALLS,
} from './calls.ts'
import { type Harness, openHarness } from './harness.ts'
import { runInterleaving } from './run-interleaving.ts'
import {
  ACCOUNT_TRASH_CASES,
  ASSET_LIMIT_CASES,
  ESTIMATE_CASES,
  TEST_CASES,
  type TestCase,
  TRASH_CASES,
} from './test-cases.ts'
import { VERSION_CASES } from './version-cases.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Run all usual pairs; all pairs (including reads, and calls that run entirely before or after the other); only some
 * calls; or write the responses of the pairs of this run as JSON:
 *
 *     POINTS=usual npx node --test packages/proofs/src/interleavings/interleavings.test.ts
 *     POINTS=all npx node --test packages/proofs/src/interleavings/interleavings.test.ts
 *     POINTS_CALLS='^complete$' npx node --test packages/proofs/src/interleavings/interleavings.test.ts
 *     POINTS_RESULTS=pairs.json npx node --test packages/proofs/src/interleavings/interleavings.test.ts
 */
const { POINTS, POINTS_CALLS, POINTS_RESULTS, TEST_TIMEOUT_MS } = process.env
const isAll = POINTS === 'all'
/** The share of the usual pairs that one run tries. It is smaller on S3, where each request takes some milliseconds. */
const USUAL_SHARE = isOnS3 ? 0.15 : 0.25
const SHARE = POINTS === undefined && POINTS_CALLS === undefined ? USUAL_SHARE : 1
/** On S3, a run tries only the most important calls. */
const USUAL_ON_S3 = [
  'sign with a key',
  'complete',
  'cancel',
  'complete a replacement',
  'computeChecksums, a replaced file with a declared digest',
  'sign an estimate',
  'sign, the last asset of the plan',
]
/** One call of each kind. `POINTS=all` also runs the others, which differ in few steps. */
const USUAL = [
  ...USUAL_ON_S3,
  'sign again with the same key',
  'complete an upload of a token, which attaches it',
  'complete again after an interrupted completion',
  'complete an upload whose object is stored',
  'resume',
  'resume an upload that the storage lost',
  'resume after an interrupted completion',
  'resume an upload whose object is stored',
  'delete an upload',
  'resize',
  'sign an estimate, trash is in the way',
  'resize to an estimate',
  'resize to an estimate, trash is in the way',
  'expireUploads, all parts sent',
  'expireUploads, object already stored',
  'finishCompletions',
  'removeObjects, a cancelled upload',
  'removeOrphanedUploads, a cancelled upload',
  'removeOrphanedUploads, a ready asset whose upload is still open',
  'restore the last asset of the plan',
  'replace',
  'complete a replacement whose object is stored',
  'replace with an upload token',
  'complete a replacement of an upload token',
  'delete an asset with an unfinished replacement',
  'delete an asset whose replacement is being completed',
  'finishCompletions, a replacement',
  'delete an asset permanently',
  'empty the trash',
  'delete all assets',
  'continueDeletions',
  'continueDeletions, an upload is not complete',
  'continueDeletions, an asset is in the trash',
  'continueBulkJobs, remove from the trash',
  'continueBulkJobs, tag and delete',
  'undo a change in bulk, delete',
  'computeChecksums, an asset',
  'complete a replacement with a declared digest',
  'computeChecksums, a replaced file with a declared digest',
  'computeChecksums, a replaced file with a wrong digest',
]

const ALL_TRASH_CASES = [...TRASH_CASES, ...ACCOUNT_TRASH_CASES]
const PLAN_CASES = [...ESTIMATE_CASES, ...ASSET_LIMIT_CASES]
const ALL_CASES = [...TEST_CASES, ...PLAN_CASES, ...VERSION_CASES, ...ALL_TRASH_CASES]

function isSelected({ name }: TestCase): boolean {
  if (POINTS_CALLS !== undefined) return new RegExp(POINTS_CALLS).test(name)
  return isAll || (isOnS3 ? USUAL_ON_S3 : USUAL).includes(name)
}

/** A call, the point at which it was paused, and the responses with each of the concurrent calls. */
interface Row {
  call: string
  point: string
  /** The responses to the paused call and to the concurrent calls, by the name of the latter. */
  responses: Record<string, string>
}

test('while a call is paused at any step, other calls run: all responses are correct, and no data is lost or orphaned', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const harness = await openHarness(deployment.settings)
  cleanUp(t, () => harness.close())
  const isChosen = aSample(t, SHARE)
  const failures: string[] = []
  const rows: Row[] = []
  let pairs = 0
  for (const testCase of ALL_CASES.filter(isSelected)) {
    const { points } = await runInterleaving(harness, { testCase, others: [] }).catch((error) =>
      assert.fail(`${testCase.name}, not paused: ${error}`),
    )
    for (const [point, label] of points.entries()) {
      const isBetween = point > 0 && point < points.length - 1
      if (!isAll && !isBetween) continue
      const row: Row = { call: testCase.name, point: label, responses: {} }
      rows.push(row)
      for (const [name, others] of concurrentCallsFor(testCase)) {
        if (!isChosen()) continue
        pairs += 1
        try {
          const outcome = await runInterleaving(harness, { testCase, point, others })
          row.responses[name] = `${outcome.paused} / ${outcome.others.join(', ')}`
        } catch (error) {
          failures.push(`${testCase.name}, paused ${label} (point ${point}) × ${name}: ${error}`)
          await stopIfPolluted(harness, failures)
        }
      }
    }
  }
  t.diagnostic(`${rows.length} points, ${pairs} pairs`)
  if (POINTS_RESULTS !== undefined) await writeFile(POINTS_RESULTS, JSON.stringify(rows))
  assert.equal(failures.length, 0, failures.join('\n\n'))
  await saveResult(`interleavings-${ENGINES}`, {
    command: commandOf(import.meta.filename, { POINTS, TEST_TIMEOUT_MS }),
    rows: Object.fromEntries(summaryOf(rows)),
  })
  await harness.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
})

/** Fails if the last pair left data that can't be deleted, because later pairs would fail or hang. */
async function stopIfPolluted({ account }: Harness, failures: string[]): Promise<void> {
  const { stored, reserved } = (await account.call('GET', '/api/v1/account')).body.data
  if (stored === 0 && reserved === 0) return
  const remaining = `${stored} stored and ${reserved} reserved bytes`
  assert.fail(
    `${failures.join('\n\n')}\n\n${remaining} remained, so the other pairs were not tried.`,
  )
}

/** For each call, the number of points and its responses. */
function summaryOf(rows: Row[]): [string, string][] {
  const byCall = Map.groupBy(rows, ({ call }) => call)
  return [...byCall].map(([call, own]) => {
    const responses = own.flatMap((row) => Object.values(row.responses))
    const paused = new Set(responses.map((response) => response.split(' / ')[0] ?? ''))
    const statuses = [...paused].filter((response) => response !== '').toSorted()
    const points = `${own.length} points × ${Object.keys(own[0]?.responses ?? {}).length} other calls`
    return [`\`${call}\` paused`, `${points}; responses: ${statuses.join(', ')}`]
  })
}

function concurrentCallsFor(testCase: TestCase): [string, Command[]][] {
  const { calls, usual } = concurrentKindOf(testCase)
  return Object.entries(calls).filter(
    ([name, others]) =>
      others.every((command) => isTested(testCase, command)) && (isAll || usual.includes(name)),
  )
}

function concurrentKindOf(testCase: TestCase) {
  if (VERSION_CASES.includes(testCase)) {
    return { calls: CONCURRENT_VERSION_CALLS, usual: USUAL_VERSION_OTHERS }
  }
  if (ESTIMATE_CASES.includes(testCase)) {
    return { calls: CONCURRENT_ESTIMATE_CALLS, usual: Object.keys(CONCURRENT_ESTIMATE_CALLS) }
  }
  if (ASSET_LIMIT_CASES.includes(testCase)) {
    return { calls: CONCURRENT_ASSET_CALLS, usual: Object.keys(CONCURRENT_ASSET_CALLS) }
  }
  return ALL_TRASH_CASES.includes(testCase)
    ? { calls: CONCURRENT_TRASH_CALLS, usual: USUAL_TRASH_OTHERS }
    : { calls: CONCURRENT_CALLS, usual: USUAL_OTHERS }
}

/** One of each kind of call that changes an upload. */
const USUAL_OTHERS = [
  'sign with the same key, send, complete',
  'sign with the same key, cancel',
  'replace a part, complete',
  'complete without a part list',
  'complete, delete',
  'cancel',
  'resume',
  'resize, send the last part, complete',
  'complete, delete permanently, removeObjects',
  'expireUploads',
  'finishCompletions',
]

const USUAL_VERSION_OTHERS = [
  'replace, send, complete',
  'complete the replacement',
  'cancel the replacement',
  'restore version 1',
  'delete version 1',
  'delete permanently, removeObjects',
  'delete, restore',
  'finishCompletions',
]

const USUAL_TRASH_OTHERS = [
  'delete, restore from the trash',
  'delete permanently, removeObjects',
  'delete, empty the trash, removeObjects',
  'delete all, restore from the trash',
  'begin to delete all, delete, restore from the trash',
  'restore from the trash',
  'complete',
  'emptyTrash job, removeObjects',
  'cancel and undo the change in bulk',
]

/** A concurrent `sign` with an `Idempotency-Key` is tested only if the paused call is a `sign` with such a key, too. */
function isTested({ call, isExcluded }: TestCase, command: Command): boolean {
  return !isExcluded?.(command) && (hasKey(call) || !hasKey(command))
}

function hasKey(command: Command): boolean {
  return command.kind === 'sign' && command.key !== undefined
}
