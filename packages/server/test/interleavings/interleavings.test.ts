import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/deployment'
import type { Command } from '../model/commands.ts'
import { keepResult } from '../reliability/result.ts'
import { CONCURRENT_CALLS } from './concurrent-calls.ts'
import { type Harness, openHarness } from './harness.ts'
import { runInterleaving } from './run-interleaving.ts'
import { TEST_CASES, type TestCase } from './test-cases.ts'

/*
 * Every pair, also those in which one only reads or runs before or after the other; some calls; and
 * the answers of all pairs as JSON:
 *
 *     POINTS=all npx node --test packages/server/test/interleavings/interleavings.test.ts
 *     POINTS_CALLS='^complete$' npx node --test packages/server/test/interleavings/interleavings.test.ts
 *     POINTS_RESULTS=pairs.json npx node --test packages/server/test/interleavings/interleavings.test.ts
 */
const { POINTS, POINTS_CALLS, POINTS_RESULTS } = process.env
const isAll = POINTS === 'all'
/** Each call to S3 takes some milliseconds: only the most important ones there. */
const USUAL_ON_S3 = ['sign with a key', 'complete', 'cancel']
/** One of each kind. The others differ in few steps, and are stopped with `POINTS=all`. */
const USUAL = [
  ...USUAL_ON_S3,
  'sign again with the same key',
  'complete again after an interrupted completion',
  'complete an upload whose object is stored',
  'resume',
  'resume an upload that the storage lost',
  'resume after an interrupted completion',
  'resume an upload whose object is stored',
  'delete an upload',
  'resize',
  'expireUploads, all parts sent',
  'expireUploads, object already stored',
  'finishCompletions',
  'removeObjects, a cancelled upload',
  'removeOrphanedUploads, a cancelled upload',
]

function isPlayed({ name }: TestCase): boolean {
  if (POINTS_CALLS !== undefined) return new RegExp(POINTS_CALLS).test(name)
  return isAll || (isOnS3 ? USUAL_ON_S3 : USUAL).includes(name)
}

/** One line of the table: a call, where it was stopped, and what was answered beside which others. */
interface Line {
  call: string
  point: string
  /** The answers to the stopped call and to the others, by the name of the others. */
  answers: Record<string, string>
}

test('whatever runs while a call stands between two steps, every answer is true and nothing is lost or left over', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true })
  const harness = await openHarness(deployment.settings)
  cleanUp(t, () => harness.close())
  const failures: string[] = []
  const lines: Line[] = []
  let pairs = 0
  for (const testCase of TEST_CASES.filter(isPlayed)) {
    const { points } = await runInterleaving(harness, { testCase, others: [] }).catch((error) =>
      assert.fail(`${testCase.name}, not paused: ${error}`),
    )
    for (const [point, label] of points.entries()) {
      const isBetween = point > 0 && point < points.length - 1
      if (!isAll && !isBetween) continue
      const line: Line = { call: testCase.name, point: label, answers: {} }
      lines.push(line)
      for (const [name, others] of othersFor(testCase)) {
        pairs += 1
        try {
          const outcome = await runInterleaving(harness, { testCase, point, others })
          line.answers[name] = `${outcome.stopped} / ${outcome.others.join(', ')}`
        } catch (error) {
          failures.push(`${testCase.name}, stopped ${label} (point ${point}) × ${name}: ${error}`)
          await stopIfPolluted(harness, failures)
        }
      }
    }
  }
  t.diagnostic(`${lines.length} points, ${pairs} pairs`)
  if (POINTS_RESULTS !== undefined) await writeFile(POINTS_RESULTS, JSON.stringify(lines))
  assert.equal(failures.length, 0, failures.join('\n\n'))
  await keepResult(`interleavings-${ENGINES}`, {
    command: `${isAll ? 'POINTS=all ' : ''}npx node packages/testing/src/stages/on-engines.ts ${ENGINES.replace('-', '+').replace('s3', 'ceph')} packages/server/test/interleavings/interleavings.test.ts`,
    rows: Object.fromEntries(summaryOf(lines)),
  })
  await harness.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
})

/** Fails if the last pair left bytes behind that can't be deleted: later pairs would fail or hang because of them. */
async function stopIfPolluted({ account }: Harness, failures: string[]): Promise<void> {
  const { stored, reserved } = (await account.call('GET', '/api/v1/account')).body.data
  if (stored === 0 && reserved === 0) return
  const rest = `${stored} stored and ${reserved} reserved bytes`
  assert.fail(
    `${failures.join('\n\n')}\n\nIt left ${rest} behind, so the other pairs were not tried.`,
  )
}

/** For each call where it was stopped, and how it was answered then. */
function summaryOf(lines: Line[]): [string, string][] {
  const byCall = Map.groupBy(lines, ({ call }) => call)
  return [...byCall].map(([call, own]) => {
    const answers = own.flatMap((line) => Object.values(line.answers))
    const stopped = new Set(answers.map((answer) => answer.split(' / ')[0] ?? ''))
    const statuses = [...stopped].filter((answer) => answer !== '').toSorted()
    const points = `${own.length} points × ${Object.keys(own[0]?.answers ?? {}).length} other calls`
    return [`\`${call}\` stopped`, `${points}; answered ${statuses.join(', ')}`]
  })
}

function othersFor(testCase: TestCase): [string, Command[]][] {
  return Object.entries(CONCURRENT_CALLS).filter(
    ([name, others]) =>
      others.every((command) => concerns(testCase, command)) &&
      (isAll || USUAL_OTHERS.includes(name)),
  )
}

/** Those that change an upload, each kind once. */
const USUAL_OTHERS = [
  'sign with the same key, send, complete',
  'sign with the same key, cancel',
  'replace a part, complete',
  'complete without a part list',
  'cancel',
  'resume',
  'resize, send the last part, complete',
  'complete, delete, removeObjects',
  'expireUploads',
  'finishCompletions',
]

function concerns({ call, isExcluded }: TestCase, command: Command): boolean {
  const isOfKey = command.kind === 'sign' && command.key !== undefined
  const isKeyed = call.kind === 'sign' && call.key !== undefined
  return !isExcluded?.(command) && (isKeyed || !isOfKey)
}
