import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/deployment'
import type { Command } from '../model/commands.ts'
import { keepResult } from '../reliability/result.ts'
import { OTHERS } from './concurrent-calls.ts'
import { playCell } from './run-interleaving.ts'
import { SCENES, type Scene } from './test-cases.ts'
import { openStage, type Stage } from './harness.ts'

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
  'sign again with its key',
  'complete one that was cut off',
  'complete one whose object is stored',
  'resume',
  'resume one that the storage lost',
  'resume one that was cut off',
  'resume one whose object is stored',
  'delete an upload',
  'resize',
  'expireUploads, all parts sent',
  'expireUploads, the object stored',
  'finishCompletions',
  'removeObjects, a cancelled upload',
  'removeOrphanedUploads, a cancelled upload',
]

function isPlayed({ name }: Scene): boolean {
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
  const stage = await openStage(deployment.settings)
  cleanUp(t, () => stage.close())
  const failures: string[] = []
  const lines: Line[] = []
  let pairs = 0
  for (const scene of SCENES.filter(isPlayed)) {
    const { points } = await playCell(stage, { scene, others: [] }).catch((error) =>
      assert.fail(`${scene.name}, not stopped: ${error}`),
    )
    for (const [point, label] of points.entries()) {
      const isBetween = point > 0 && point < points.length - 1
      if (!isAll && !isBetween) continue
      const line: Line = { call: scene.name, point: label, answers: {} }
      lines.push(line)
      for (const [name, others] of othersFor(scene)) {
        pairs += 1
        try {
          const outcome = await playCell(stage, { scene, point, others })
          line.answers[name] = `${outcome.stopped} / ${outcome.others.join(', ')}`
        } catch (error) {
          failures.push(`${scene.name}, stopped ${label} (point ${point}) × ${name}: ${error}`)
          await stopIfPolluted(stage, failures)
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
  await stage.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
})

/** Fails if the last pair left bytes behind that can't be deleted: later pairs would fail or hang because of them. */
async function stopIfPolluted({ account }: Stage, failures: string[]): Promise<void> {
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

function othersFor(scene: Scene): [string, Command[]][] {
  return Object.entries(OTHERS).filter(
    ([name, others]) =>
      others.every((command) => concerns(scene, command)) && (isAll || USUAL_OTHERS.includes(name)),
  )
}

/** Those that change an upload, each kind once. */
const USUAL_OTHERS = [
  'sign with the same key, send, complete',
  'sign with the same key, cancel',
  'replace a part, complete',
  'complete, naming no parts',
  'cancel',
  'resume',
  'resize, send the last part, complete',
  'complete, delete, removeObjects',
  'expireUploads',
  'finishCompletions',
]

function concerns({ call, without }: Scene, command: Command): boolean {
  const isOfKey = command.kind === 'sign' && command.key !== undefined
  const isKeyed = call.kind === 'sign' && call.key !== undefined
  return !without?.(command) && (isKeyed || !isOfKey)
}
