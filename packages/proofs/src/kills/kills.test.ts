import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { PartUrl } from '@stowage/protocol'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment, type Deployment } from '@stowage/testing/service/service'
import { API, putPart } from '@stowage/testing/service/upload'
import { type Harness, openHarness } from '../interleavings/harness.ts'
import {
  deleteEverything,
  expireUnknown,
  idsOf,
  operatorOf,
  runAllJobs,
  withoutUnrecorded,
} from '../interleavings/run-interleaving.ts'
import { interruptedEvents, TEST_CASES, TRASH_CASES } from '../interleavings/test-cases.ts'
import { VERSION_CASES } from '../interleavings/version-cases.ts'
import { expectedStates, readState, type State } from '../model/check-state.ts'
import { openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import { linearize, targetOf } from '../model/linearize.ts'
import { type Model, partBytes } from '../model/model.ts'
import { type Event, NO_RESPONSE } from '../model/observation.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { sampleSeed } from '../sample.ts'
import type { KilledCall } from './killed-process.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * One run tries a random share of the points of all calls, or, on S3, which is slow, of the usual calls. To try all
 * points of the usual calls, or all points of all calls:
 *
 *     POINTS=usual npx node packages/testing/src/stages/on-engines.ts postgres+ceph …/kills.test.ts
 *     POINTS=all npx node packages/testing/src/stages/on-engines.ts postgres+ceph …/kills.test.ts
 */
const { POINTS } = process.env
const CALLS = isOnS3 && POINTS !== 'all' ? 'usual' : 'all'
const SHARE = POINTS === undefined ? (isOnS3 ? 0.25 : 0.4) : 1

const PROGRAM = fileURLToPath(new URL('killed-process.ts', import.meta.url))

test('after a kill at any point of any call or job, the service restarts with correct responses, and no data is lost or orphaned', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const killedCalls = await killAtEveryPoint(t, deployment)
  const harness = await openHarness(deployment.settings)
  cleanUp(t, () => harness.close())
  const failures: string[] = []
  const possible = new Map<KilledCall, Model[]>()
  for (const killedCall of killedCalls) {
    const { models, events } = await retry(harness, killedCall)
    if (models.length === 0) failures.push(`${nameOf(killedCall)}: ${JSON.stringify(events)}`)
    possible.set(killedCall, models)
  }
  for (const [{ issued }, models] of possible) await expireUnknown(harness, issued, models)
  await runAllJobs(harness)
  const idsIn = (killedCall: KilledCall) => [
    ...killedCall.issued,
    ...idsOf(possible.get(killedCall) ?? []),
  ]
  const replacements = [...possible.values()]
    .flat()
    .flatMap(({ uploads }) => uploads)
    .filter(({ replaces }) => replaces !== undefined)
  const replacing = new Set(replacements.map(({ id }) => id))
  // The object of a later version is named after the row of its replacement, which is not an asset.
  const files = await harness.context.database.listStoredFiles(undefined, 100_000)
  for (const { key, assetId } of files) if (key !== assetId) replacing.add(key)
  const assets = [...new Set(killedCalls.flatMap(idsIn))].filter((id) => !replacing.has(id))
  const fullState = await readState(harness, harness.account, [
    ...assets.map((id) => ({ id })),
    ...new Map(replacements.map((upload) => [upload.id, upload])).values(),
  ])
  const summary = { stored: 0, reserved: 0, trash: 0 }
  for (const [killedCall, models] of possible) {
    const state = stateOf(fullState, idsIn(killedCall))
    const match = expectedStates(models).find((one) => isSame(one, state))
    if (match === undefined && models.length > 0) {
      failures.push(
        `${nameOf(killedCall)}: ${JSON.stringify(state)} is none of ${JSON.stringify(models)}`,
      )
    }
    summary.stored += match?.stored ?? 0
    summary.reserved += match?.reserved ?? 0
    summary.trash += match?.trash ?? 0
  }
  const calls = new Set(killedCalls.map(({ testCase }) => testCase)).size
  t.diagnostic(`${killedCalls.length} points in ${calls} calls and jobs`)
  assert.equal(failures.length, 0, failures.join('\n\n'))
  const { body } = await harness.account.call('GET', '/api/v1/account')
  assert.partialDeepStrictEqual(body.data, summary)
  await harness.checkEvents()
  await finishOpenUploads(harness)
  await deleteEverything(harness)
  await runAllJobs(harness)
  await harness.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
  await saveResult(`kills-${ENGINES}`, {
    command: commandOf(import.meta.filename, { POINTS }),
    rows: {
      'Calls and jobs': String(calls),
      'Points at which the process was killed': String(killedCalls.length),
      'Incorrect responses, lost or orphaned data': '0',
    },
  })
})

async function killAtEveryPoint(t: TestContext, deployment: Deployment): Promise<KilledCall[]> {
  const seed = SHARE < 1 ? sampleSeed(t) : 0
  const words = [JSON.stringify(deployment.settings), CALLS, String(SHARE), String(seed)]
  const child = fork(PROGRAM, words, { stdio: 'inherit' })
  const ended = once(child, 'exit')
  cleanUp(t, () => child.kill('SIGKILL'))
  const [killedCalls] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => assert.fail(`the process ended with code ${code}`)),
  ])
  child.kill('SIGKILL')
  await ended
  return killedCalls
}

/** Repeats the call, because its client got no response. Jobs run again later anyway. */
async function retry(harness: Harness, { call, model, clientState, testCase }: KilledCall) {
  const clients = openClients(harness.account, operatorOf(harness), clientState)
  const isJob = call.kind === 'job' || call.kind === 'expire'
  const again = isJob ? [] : await clients.perform(call, 0)
  const testCaseOf = [...TEST_CASES, ...VERSION_CASES, ...TRASH_CASES].find(
    ({ name }) => name === testCase,
  )
  const events = [
    ...withoutResponse(call, model),
    ...again,
    ...(testCaseOf ? interruptedEvents(testCaseOf, model) : []),
  ]
  return { models: linearize([model], events), events }
}

function withoutResponse(call: Command, model: Model): Event[] {
  const isWrong = call.kind === 'complete' && call.etags === 'wrong'
  const parts = isWrong ? [{ number: 1, etag: 'wrong', content: 0, size: 0 }] : []
  const seen = { status: NO_RESPONSE, ...targetOf(model, call), parts, code: 'expired' }
  return [{ client: 3, command: call, seen }]
}

function stateOf(state: State, ids: string[]): State {
  const isOwn = ({ id }: { id: string }) => ids.includes(id)
  return withoutUnrecorded({
    ...state,
    assets: state.assets.filter(isOwn),
    found: state.found.map((list) => list.filter((id) => ids.includes(id))),
    open: state.open.filter(isOwn),
    trashed: state.trashed.filter((id) => ids.includes(id)),
    objects: state.objects.filter((id) => ids.includes(id)),
  })
}

/** Ignores the sums, which are those of all killed calls together. */
function isSame(one: State, other: State): boolean {
  const comparable = (state: State) =>
    JSON.stringify({ ...state, stored: 0, reserved: 0, trash: 0 })
  return comparable(one) === comparable(other)
}

function nameOf({ testCase, point }: KilledCall): string {
  return `${testCase}, killed ${point}`
}

/** Checks that every open upload can be resumed and completed. */
async function finishOpenUploads({ context, account }: Harness): Promise<number> {
  const open = await Array.fromAsync(context.storage.listUploads())
  const data = context.database.of(account.id)
  for (const { key } of open) {
    const upload = await data.findUpload(key)
    // The path of a replacement contains the ID of its asset.
    const path = `${API}/assets/${upload?.replaces?.assetId ?? key}`
    const resumed = await account.call('GET', `${path}/upload?upload_id=${upload?.id}`)
    assert.equal(resumed.status, 200, resumed.text)
    for (const part of resumed.body.urls as PartUrl[]) {
      const response = await putPart(part.url, partBytes(part, 3))
      assert.equal(response.status, 200, await response.text())
    }
    const body = { upload_id: resumed.body.upload_id, parts: [] }
    const completed = await account.call('POST', `${path}/uploaded`, body)
    assert.equal(completed.status, 200, completed.text)
  }
  return open.length
}
