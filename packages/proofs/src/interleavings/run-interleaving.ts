import assert from 'node:assert/strict'
import { expireUploads } from '@stowage/server/src/jobs/uploads'
import { JOBS, NEVER, runJobs } from '@stowage/testing/service/jobs'
import { API } from '@stowage/testing/service/upload'
import { expectedStates, readState, type State } from '../model/check-state.ts'
import {
  beginBulk,
  beginMoveFolder,
  type Clients,
  type Operator,
  openClients,
} from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import { linearize, targetOf } from '../model/linearize.ts'
import { EMPTY_MODEL, type Model } from '../model/model.ts'
import type { Event } from '../model/observation.ts'
import { type Harness, type OnPoint, PLAN } from './harness.ts'
import { interruptedEvents, type TestCase } from './test-cases.ts'

interface Interleaving {
  testCase: TestCase
  /** The point at which the call is paused, counted from 0. Undefined: it is not paused. */
  point?: number
  /** The calls that run while it is paused. */
  others: Command[]
}

export interface Outcome {
  /** The names of all points of the call. */
  points: string[]
  /** The responses to the paused call and to the others. */
  paused: string
  others: string[]
}

/** Longer than any call that does not wait for the paused one. */
const TIMEOUT_MS = 60_000

/**
 * Pauses a call at one of its points, runs the others, and lets it continue. Fails if the responses are
 * not linearizable, or if the state after the jobs does not match a valid order of the calls.
 */
export async function runInterleaving(
  harness: Harness,
  { testCase, point, others }: Interleaving,
): Promise<Outcome> {
  const clients = openClients(harness.account, operatorOf(harness))
  const start = await prepare(harness, clients, testCase)
  const points: string[] = []
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const onPoint: OnPoint = async (name) => {
    points.push(name)
    if (points.length - 1 !== point) return
    reached.resolve()
    await resumed.promise
  }
  const call = harness.runWithPoints(onPoint, () => clients.perform(testCase.call, 0))
  try {
    await Promise.race([reached.promise, call])
    const concurrent = point === undefined ? [] : await runInSequence(clients, others)
    resumed.resolve()
    const seen = await withTimeout(call, JSON.stringify(testCase.call))
    const events = [...seen, ...concurrent, ...interruptedEvents(testCase, start.model)]
    const models = linearize([start.model], events)
    if (models.length === 0) assert.fail(explain(start.model, events))
    await checkState(harness, models)
    return {
      points,
      paused: responseText(seen),
      others: concurrent.map((event) => responseText([event])),
    }
  } finally {
    resumed.resolve()
    await withTimeout(call, JSON.stringify(testCase.call)).catch(() => {})
    await deleteEverything(harness)
    const { plan, maxAssets } = start.model
    if (plan !== PLAN || maxAssets !== null) await operatorOf(harness).changePlan(PLAN, null)
  }
}

/** Runs the calls before the test case. Returns the ID of the first upload and the model. */
export async function prepare(harness: Harness, clients: Clients, testCase: TestCase) {
  let models: Model[] = [{ ...EMPTY_MODEL, plan: PLAN, products: harness.products }]
  const events = await runInSequence(clients, testCase.before)
  for (const event of events) models = linearize(models, [event])
  const [model] = models
  assert.ok(model, `invalid responses before the test case: ${JSON.stringify(events)}`)
  const id = model.uploads[0]?.id ?? ''
  await testCase.setUp?.(harness, id)
  // The upload is overdue before the job starts, so that making it overdue is not one of the job's points.
  if (testCase.call.kind === 'expire')
    await makeOverdue(harness, await rowOf(harness, model, testCase))
  return { id, model: testCase.updateModel?.(model) ?? model }
}

/** The row of the upload that expires. */
async function rowOf(
  { context, account }: Harness,
  model: Model,
  { call }: TestCase,
): Promise<string> {
  const { id = '', asset } = targetOf(model, call)
  if (asset === undefined) return id
  const replacement = await context.database.of(account.id).findReplacement(asset, id)
  return replacement?.asset.id ?? id
}

async function runInSequence(clients: Clients, commands: Command[]): Promise<Event[]> {
  const events: Event[] = []
  for (const [step, command] of commands.entries()) {
    const seen = await withTimeout(clients.perform(command, 1), JSON.stringify(command))
    events.push(...seen.map((event) => ({ ...event, step })))
  }
  return events
}

/** No call may wait for a paused call: a call is paused between two calls of ports, where it holds no lock. */
async function withTimeout<Result>(work: Promise<Result>, call: string): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`${call} waits for the paused call`)),
    TIMEOUT_MS,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function makeOverdue({ context, account }: Harness, id: string): Promise<boolean> {
  return (await context.database.of(account.id).renewUpload(id, -1)) !== undefined
}

/** Like the operator of the model test, but with the ports of the caller, so that jobs can be paused like calls. */
export function operatorOf(harness: Harness): Operator {
  const { account, context } = harness
  return {
    changePlan: (bytes, assets) =>
      context.database.changePlan(account.id, { name: 'plan', storage: bytes, assets }),
    async expireUpload({ id: assetId, upload_id }) {
      const data = context.database.of(account.id)
      const id = (await data.findReplacement(assetId, upload_id))?.asset.id ?? assetId
      const ports = harness.ports()
      if (ports === context) await makeOverdue(harness, id)
      const settings = { ...ports.settings, uploadsKeptForMs: -60_000 }
      await expireUploads({ ...ports, settings }, NEVER)
      const upload = await data.findUpload(id)
      // An upload without a row has ended: a job has removed the row since.
      return upload?.status ?? 'expired'
    },
    runJob: (name) => JOBS[name](harness.ports()),
    beginDeleteAll: () => context.database.of(account.id).beginTrashAll(),
    beginMoveFolder: (from, to) => beginMoveFolder(context, account.id, { from, to }),
    beginBulk: (action, ids) => beginBulk(context, account.id, { action, ids }),
  }
}

/** Runs all jobs, then fails unless the state matches one of the models. */
export async function checkState(
  harness: Harness,
  models: Model[],
  simplify = (state: State) => state,
): Promise<void> {
  await runAllJobs(harness)
  await harness.checkEvents()
  const uploads = models[0]?.uploads ?? []
  const state = simplify(await readState(harness, harness.account, uploads))
  const expected = expectedStates(models)
  if (expected.some((one) => JSON.stringify(one) === JSON.stringify(state))) return
  assert.deepEqual(state, expected[0], `matches none of ${expected.length} possible states`)
}

/**
 * Runs the jobs twice with a clock 30 days ahead: all postponed work is due, and orphaned uploads are old
 * enough to be removed.
 */
export async function runAllJobs({ context }: Harness): Promise<void> {
  const clock = () => new Date(Date.now() + 30 * 24 * 3_600_000)
  const later = {
    ...context,
    clock,
    database: { ...context.database, readClock: async () => clock() },
  }
  for (let run = 0; run < 2; run += 1) await runJobs(later, { stuckMs: -1 })
}

/** Removes all data, because the jobs of the next test case would process it. */
export async function deleteEverything({ context, account }: Harness): Promise<void> {
  for await (const { key } of context.storage.listUploads()) {
    await account.call('DELETE', `${API}/assets/${key}?permanent=true`)
  }
  const { body } = await account.call('GET', `${API}/assets?limit=1000`)
  for (const { id } of body.data) {
    await account.call('DELETE', `${API}/assets/${id}?permanent=true`)
  }
  await account.call('DELETE', `${API}/trash`)
  await JOBS.removeObjects(context)
  await JOBS.forgetEndedAssets(context)
}

export function responseText(events: Event[]): string {
  return events.map(({ seen }) => [seen.status, seen.code].filter(Boolean).join(' ')).join(', ')
}

function explain(model: Model, events: Event[]): string {
  const responses = events.map((event) => `  ${JSON.stringify(event)}`).join('\n')
  return `no order of these calls explains the responses:\n${responses}\nin ${JSON.stringify(model)}`
}

/**
 * Expires uploads whose client got no response and so does not know their IDs. `issued` are all generated
 * IDs.
 */
export async function expireUnknown(
  harness: Harness,
  issued: string[],
  models: Model[],
): Promise<void> {
  const known = idsOf(models)
  const data = harness.context.database.of(harness.account.id)
  let hasUnknown = false
  for (const id of issued) {
    // The model knows a replacement by its upload ID.
    const uploadId = (await data.findUpload(id))?.id ?? id
    if (known.includes(id) || known.includes(uploadId)) continue
    if (await data.renewUpload(id, -60_000)) hasUnknown = true
  }
  if (!hasUnknown) return
  const settings = { ...harness.context.settings, uploadsKeptForMs: -60_000 }
  await runAllJobs({ ...harness, context: { ...harness.context, settings } })
}

export function idsOf(models: Model[]): string[] {
  return models.flatMap(({ uploads }) => uploads.map(({ id }) => id))
}

/**
 * Leaves out uploads that S3 created but whose upload ID was not stored, because the process or the
 * connection failed first. They get no parts, and a job removes them once the asset is not uploading.
 */
export function withoutUnrecorded(state: State): State {
  const open = state.open.filter(
    ({ id, etags }, index) =>
      etags.length > 0 || state.open.findLastIndex((other) => other.id === id) === index,
  )
  return { ...state, open }
}
