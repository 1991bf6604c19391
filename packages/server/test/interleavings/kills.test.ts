import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment, type Deployment } from '@stowage/testing/service/deployment'
import { expectedState, readState, type State } from '../model/check-state.ts'
import { openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import { linearize } from '../model/linearize.ts'
import type { Model } from '../model/model.ts'
import { CUT_OFF, type Event } from '../model/observation.ts'
import { keepResult } from '../reliability/result.ts'
import { finishOpenUploads } from './finish-open-uploads.ts'
import { endAll, operatorOf, settle } from './run-interleaving.ts'
import { ghostOf, SCENES } from './test-cases.ts'
import { openStage, type Stage } from './harness.ts'
import { expireUnknown, idsOf, withoutUnrecorded } from './unknown-uploads.ts'
import type { Play } from './killed-process.ts'

const VICTIM = fileURLToPath(new URL('killed-process.ts', import.meta.url))

test('killed at any point of any call or job, the service comes back with every answer true and nothing lost or left over', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true })
  const plays = await killAtEveryPoint(t, deployment)
  const stage = await openStage(deployment.settings)
  cleanUp(t, () => stage.close())
  const failures: string[] = []
  const possible = new Map<Play, Model[]>()
  for (const play of plays) {
    const { models, events } = await repeat(stage, play)
    if (models.length === 0) failures.push(`${nameOf(play)}: ${JSON.stringify(events)}`)
    possible.set(play, models)
  }
  for (const [{ issued }, models] of possible) await expireUnknown(stage, issued, models)
  await settle(stage)
  const idsIn = (play: Play) => [...play.issued, ...idsOf(possible.get(play) ?? [])]
  const whole = await readState(stage, stage.account, [...new Set(plays.flatMap(idsIn))])
  const summary = { stored: 0, reserved: 0 }
  for (const [play, models] of possible) {
    const state = onlyOf(whole, idsIn(play))
    const match = models.map(expectedState).find((one) => isSame(one, state))
    if (match === undefined && models.length > 0) {
      failures.push(
        `${nameOf(play)}: ${JSON.stringify(state)} is none of ${JSON.stringify(models)}`,
      )
    }
    summary.stored += match?.stored ?? 0
    summary.reserved += match?.reserved ?? 0
  }
  const calls = new Set(plays.map(({ scene }) => scene)).size
  t.diagnostic(`${plays.length} points in ${calls} calls and jobs`)
  assert.equal(failures.length, 0, failures.join('\n\n'))
  const { body } = await stage.account.call('GET', '/api/v1/account')
  assert.partialDeepStrictEqual(body.data, summary)
  await finishOpenUploads(stage)
  await endAll(stage)
  await settle(stage)
  await stage.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
  await keepResult(`kills-${ENGINES}`, {
    command: `npx node packages/testing/src/stages/on-engines.ts ${ENGINES.replace('-', '+').replace('s3', 'ceph')} packages/server/test/interleavings/kills.test.ts`,
    rows: {
      'Calls and jobs': String(calls),
      'Points at which the process was killed': String(plays.length),
      'Answers that were not true, things lost or left over': '0',
    },
  })
})

async function killAtEveryPoint(t: TestContext, deployment: Deployment): Promise<Play[]> {
  const which = isOnS3 && process.env.POINTS !== 'all' ? 'usual' : 'all'
  const child = fork(VICTIM, [JSON.stringify(deployment.settings), which], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  cleanUp(t, () => child.kill('SIGKILL'))
  const [plays] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => assert.fail(`it ended with code ${code}`)),
  ])
  child.kill('SIGKILL')
  await ended
  return plays
}

/** The client got no answer, and asks again. Jobs repeat themselves. */
async function repeat(stage: Stage, { call, id, model, memory, scene }: Play) {
  const clients = openClients(stage.account, operatorOf(stage), memory)
  const isJob = call.kind === 'job' || call.kind === 'expire'
  const again = isJob ? [] : await clients.perform(call, 0)
  const played = SCENES.find(({ name }) => name === scene)
  const events = [...unanswered(call, id), ...again, ...(played ? ghostOf(played, id) : [])]
  return { models: linearize([model], events), events }
}

function unanswered(call: Command, id: string): Event[] {
  const isWrong = call.kind === 'complete' && call.etags === 'wrong'
  const parts = isWrong ? [{ number: 1, etag: 'wrong', content: 0, size: 0 }] : []
  return [{ client: 3, command: call, seen: { status: CUT_OFF, id, parts, code: 'expired' } }]
}

function onlyOf(state: State, ids: string[]): State {
  const isOwn = ({ id }: { id: string }) => ids.includes(id)
  return withoutUnrecorded({
    ...state,
    assets: state.assets.filter(isOwn),
    open: state.open.filter(isOwn),
    objects: state.objects.filter((id) => ids.includes(id)),
  })
}

/** Beside the sums, which are of all plays together. */
function isSame(one: State, other: State): boolean {
  const comparable = (state: State) => JSON.stringify({ ...state, stored: 0, reserved: 0 })
  return comparable(one) === comparable(other)
}

function nameOf({ scene, point }: Play): string {
  return `${scene}, killed ${point}`
}
