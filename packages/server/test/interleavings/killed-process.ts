import { API } from '@stowage/testing/service/upload'
import { type ClientState, newClientState, openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import type { Model } from '../model/model.ts'
import { JOBS } from '../support/run-jobs.ts'
import { runWithFilePoints, watchFiles } from './file-points.ts'
import { openHarness } from './harness.ts'
import { restrictToUpload } from './restrict-to-upload.ts'
import { operatorOf, prepare } from './run-interleaving.ts'
import { TEST_CASES, type TestCase } from './test-cases.ts'

/** A call that stands at a point when its process is killed. */
export interface KilledCall {
  testCase: string
  point: string
  call: Command
  /** The upload that the testCase is about, and every ID that was given out. */
  id: string
  issued: string[]
  model: Model
  clientState: ClientState
}

/*
 * Brings each call to each of its points, all of them in one process, each with an upload of its own.
 * Then it tells what it has done, and waits to be killed.
 */
watchFiles()
const harness = await openHarness(JSON.parse(process.argv[2] ?? ''))

/** Undefined when the call came to its end before. */
async function runUntil(testCase: TestCase, point: number): Promise<KilledCall | undefined> {
  harness.issued.length = 0
  const clientState = newClientState()
  const { id, model } = await prepare(
    harness,
    openClients(harness.account, operatorOf(harness), clientState),
    testCase,
  )
  const there = Promise.withResolvers<string>()
  let passed = 0
  const onPoint = async (name: string) => {
    passed += 1
    if (passed <= point) return
    there.resolve(name)
    await new Promise(() => {})
  }
  const own = restrictToUpload(harness, () => id)
  const clients = openClients(harness.account, operatorOf(own), clientState)
  const call = own.runWithPoints(onPoint, () =>
    runWithFilePoints(onPoint, () => clients.perform(testCase.call, 0)),
  )
  const stopped = await Promise.race([there.promise, call.then(() => undefined)])
  if (stopped === undefined) {
    // A completion that was cut off can't be deleted before it is finished.
    await JOBS.finishCompletions(own.context)
    for (const one of harness.issued) await harness.account.call('DELETE', `${API}/assets/${one}`)
    return undefined
  }
  return {
    testCase: testCase.name,
    point: stopped,
    call: testCase.call,
    id,
    issued: [...harness.issued],
    model,
    clientState,
  }
}

/** All testCases are in one account. */
function withKeysOfItsOwn(testCase: TestCase, point: number): TestCase {
  const renamed = (command: Command): Command =>
    command.kind === 'sign' && command.key !== undefined
      ? { ...command, key: `${testCase.name} ${point}`.replaceAll(' ', '-') }
      : command
  return { ...testCase, before: testCase.before.map(renamed), call: renamed(testCase.call) }
}

/** On S3, which takes its time, those that ask the storage for something that matters. */
const CALLS =
  process.argv[3] === 'usual'
    ? /^(sign with a key|complete|complete one whose.*|cancel|resume one.*|delete an.*|finish.*|expireUploads)$/
    : /^/
const killedCalls: KilledCall[] = []
// What ended is forgotten for all testCases at once, so that this one comes before there is any other.
const forgetting = ({ call }: TestCase) =>
  call.kind === 'job' && call.name === 'forgetEndedAssets' ? 0 : 1
// A list shows the uploads of all testCases, and each model knows only its own.
const testCases = TEST_CASES.filter(({ name, call }) => call.kind !== 'list' && CALLS.test(name))
for (const testCase of testCases.toSorted((a, b) => forgetting(a) - forgetting(b))) {
  for (let point = 0; ; point += 1) {
    const killedCall = await runUntil(withKeysOfItsOwn(testCase, point), point)
    if (killedCall === undefined) break
    killedCalls.push(killedCall)
  }
}
process.send?.(killedCalls)
setInterval(() => {}, 60_000)
