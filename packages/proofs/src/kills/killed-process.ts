import { AsyncLocalStorage } from 'node:async_hooks'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import type { Upload } from '@stowage/server/src/domain/asset'
import type { Context } from '@stowage/server/src/operations/context'
import { JOBS } from '@stowage/testing/service/jobs'
import { API } from '@stowage/testing/service/upload'
import { type Harness, type OnPoint, openHarness } from '../interleavings/harness.ts'
import { operatorOf, prepare } from '../interleavings/run-interleaving.ts'
import { TEST_CASES, type TestCase, TRASH_CASES } from '../interleavings/test-cases.ts'
import { VERSION_CASES } from '../interleavings/version-cases.ts'
import { type ClientState, newClientState, openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import type { Model } from '../model/model.ts'
import { sampleOf } from '../sample.ts'

const onPointOfCaller = new AsyncLocalStorage<OnPoint>()

/** Steps that create, move or remove files. Writes and syncs make no difference after a kill: the kernel keeps the data. */
const STEPS = ['rename', 'mkdir', 'rm'] as const

/**
 * Adds a point before and after each of these file system calls of this thread. Replaces functions of
 * Node, so call it only in a separate process.
 */
function watchFiles(): void {
  for (const step of STEPS) {
    const original = promises[step] as (...args: unknown[]) => Promise<unknown>
    Object.assign(promises, {
      [step]: async (...args: unknown[]) => {
        const onPoint = onPointOfCaller.getStore()
        if (onPoint === undefined) return original(...args)
        const name = `${step} ${nameOf(args[0])}`
        await onPoint(`before ${name}`)
        try {
          return await original(...args)
        } finally {
          await onPoint(`after ${name}`)
        }
      },
    })
  }
  syncBuiltinESMExports()
}

/** Runs the work with points at its file system calls. */
function runWithFilePoints<Result>(onPoint: OnPoint, work: () => Promise<Result>): Promise<Result> {
  return onPointOfCaller.run(onPoint, work)
}

/** Replaces IDs, which differ between runs. */
function nameOf(path: unknown): string {
  const name = basename(String(path))
  if (name.endsWith('.sealed')) return 'a sealed upload'
  if (/^[0-9a-f-]{36}\./.test(name)) return 'an upload'
  if (/^[0-9a-f-]{36}$/.test(name)) return 'an object'
  if (/^[0-9a-f]{2}$/.test(name)) return 'a folder of objects'
  if (/^[0-9a-f]{16}$/.test(name)) return 'a folder in the trash'
  return name
}

/** Larger than a job's batch, because the upload may come after many others. */
const ALL = 10_000

/**
 * The same harness, but its jobs process only this upload, with two exceptions: the jobs that expire and complete
 * uploads also process its replacement, and `forgetEndedAssets`, `emptyTrash` and `continueDeletions` process all
 * assets.
 */
function restrictToUpload(harness: Harness, id: () => string): Harness {
  const { context } = harness
  const { database, storage } = context
  const own = ({ asset, replaces }: Upload) => [asset.id, replaces?.assetId].includes(id())
  const narrow: Context = {
    ...context,
    database: {
      ...database,
      listOverdueUploads: async () => (await database.listOverdueUploads(ALL)).filter(own),
      claimStuckCompletions: async (times) =>
        (await database.claimStuckCompletions(times, ALL)).filter(own),
      claimDueRemovals: async (now) =>
        (await database.claimDueRemovals(now, ALL)).filter(({ key }) => key === id()),
      claimVerifications: async (queue, times) =>
        (await database.claimVerifications(queue, times, ALL)).filter(({ key }) => key === id()),
      claimWithheld: async (times, options) => {
        for (;;) {
          const object = await database.claimWithheld(times, options)
          if (object === undefined || object.key === id()) return object
        }
      },
    },
    storage: {
      ...storage,
      async *listUploads() {
        for await (const upload of storage.listUploads()) if (upload.key === id()) yield upload
      },
    },
  }
  return {
    ...harness,
    context: narrow,
    runWithPoints: (onPoint, work) => harness.runWithPoints(onPoint, work, narrow),
  }
}

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
