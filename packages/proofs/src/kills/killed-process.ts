import { JOBS } from '@stowage/testing/service/jobs'
import { API } from '@stowage/testing/service/upload'
import { openHarness } from '../interleavings/harness.ts'
import { operatorOf, prepare } from '../interleavings/run-interleaving.ts'
import { TEST_CASES, type TestCase } from '../interleavings/test-cases.ts'
import { TRASH_CASES } from '../interleavings/trash-cases.ts'
import { VERSION_CASES } from '../interleavings/version-cases.ts'
import { type ClientState, newClientState } from '../model/client-state.ts'
import { openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import type { Model } from '../model/model.ts'
import { sampleOf } from '../sample.ts'
import { runWithFilePoints, watchFiles } from './file-points.ts'
import { restrictToUpload } from './restrict-to-upload.ts'

/** A call that is paused at a point when its process is killed. */
export interface KilledCall {
  testCase: string
  point: string
  call: Command
  /** The upload of the test case, and every ID that was generated. */
  id: string
  issued: string[]
  model: Model
  clientState: ClientState
}

/*
 * Runs each call to each of its points and pauses it there, all in one process, each with its own upload.
 * Then sends the list of paused calls to the parent process, and waits to be killed.
 */
watchFiles()
const [settings = '', calls, share, seed] = process.argv.slice(2)
const harness = await openHarness(JSON.parse(settings))
/** Whether this run tries the next point. */
const isChosen = sampleOf(Number(share), Number(seed))

/** Returns undefined if the call ended before this point. */
async function runUntil(testCase: TestCase, point: number): Promise<KilledCall | undefined> {
  harness.issued.length = 0
  const clientState = newClientState()
  const { id, model } = await prepare(
    harness,
    openClients(harness.account, operatorOf(harness), clientState),
    testCase,
  )
  const reached = Promise.withResolvers<string>()
  let passed = 0
  const onPoint = async (name: string) => {
    passed += 1
    if (passed <= point) return
    reached.resolve(name)
    await new Promise(() => {})
  }
  const restricted = restrictToUpload(harness, () => id)
  const clients = openClients(harness.account, operatorOf(restricted), clientState)
  const call = restricted.runWithPoints(onPoint, () =>
    runWithFilePoints(onPoint, () => clients.perform(testCase.call, 0)),
  )
  const pausedAt = await Promise.race([reached.promise, call.then(() => undefined)])
  if (pausedAt === undefined) {
    // An upload with an interrupted completion can't be deleted before the completion is finished.
    await JOBS.finishCompletions(restricted.context)
    for (const issued of harness.issued)
      await harness.account.call('DELETE', `${API}/assets/${issued}?permanent=true`)
    return undefined
  }
  return {
    testCase: testCase.name,
    point: pausedAt,
    call: testCase.call,
    id,
    issued: [...harness.issued],
    model,
    clientState,
  }
}

/** Makes Idempotency-Keys unique, because all test cases use the same account. */
function withUniqueKeys(testCase: TestCase, point: number): TestCase {
  const renamed = (command: Command): Command =>
    command.kind === 'sign' && command.key !== undefined
      ? { ...command, key: `${testCase.name} ${point}`.replaceAll(' ', '-') }
      : command
  return { ...testCase, before: testCase.before.map(renamed), call: renamed(testCase.call) }
}

/** On S3, which is slow, a run tries only some of the calls. */
const CALLS =
  calls === 'usual'
    ? /^(sign with a key|complete|complete an upload whose.*|cancel|resume .+|delete an.*|finish.*|expireUploads)$/
    : /^/
const killedCalls: KilledCall[] = []
// `forgetEndedAssets` runs first, because it forgets the ended uploads of all test cases.
const orderOf = ({ call }: TestCase) =>
  call.kind === 'job' && call.name === 'forgetEndedAssets' ? 0 : 1
// Lists are not tested: they contain the uploads of all test cases, but each model has only those of its own.
const testCases = [...TEST_CASES, ...VERSION_CASES, ...TRASH_CASES].filter(
  ({ name, call }) => call.kind !== 'list' && CALLS.test(name),
)
for (const testCase of testCases.toSorted((a, b) => orderOf(a) - orderOf(b))) {
  for (let point = 0; ; point += 1) {
    if (!isChosen()) continue
    const killedCall = await runUntil(withUniqueKeys(testCase, point), point)
    if (killedCall === undefined) break
    killedCalls.push(killedCall)
  }
}
process.send?.(killedCalls)
setInterval(() => {}, 60_000)
