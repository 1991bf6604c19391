import assert from 'node:assert/strict'
import { API } from '@stowage/testing/service/upload'
import { expireUploads } from '../../src/jobs/expire-uploads.ts'
import { expectedState, readState, type State } from '../model/check-state.ts'
import { type Clients, type Operator, openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import { linearize } from '../model/linearize.ts'
import { EMPTY_MODEL, type Model } from '../model/model.ts'
import type { Event } from '../model/observation.ts'
import { JOBS, NEVER, runJobs } from '../support/run-jobs.ts'
import type { Harness } from './harness.ts'
import { interruptedEvents, type TestCase } from './test-cases.ts'
import type { OnPoint } from './watch-ports.ts'

export interface Interleaving {
  testCase: TestCase
  /** Where the call is stopped, counted from 0; none: it is not stopped. */
  point?: number
  /** What is done while it is stopped. */
  others: Command[]
}

export interface Outcome {
  /** The points that the call came by, as far as it was stopped. */
  points: string[]
  /** What the stopped call and the others were answered. */
  stopped: string
  others: string[]
}

/** Longer than any call takes that does not wait for the stopped one. */
const WAITS_MS = 60_000

/**
 * Stops a call at one of its points, does the others meanwhile, and lets it continue. Fails when the
 * answers can't be explained by any order of the calls, or when jobs do not bring the service to the
 * state that such an order leads to.
 */
export async function runInterleaving(
  harness: Harness,
  { testCase, point, others }: Interleaving,
): Promise<Outcome> {
  const clients = openClients(harness.account, operatorOf(harness))
  const start = await prepare(harness, clients, testCase)
  const points: string[] = []
  const isThere = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const onPoint: OnPoint = async (name) => {
    points.push(name)
    if (points.length - 1 !== point) return
    isThere.resolve()
    await goOn.promise
  }
  const call = harness.runWithPoints(onPoint, () => clients.perform(testCase.call, 0))
  try {
    await Promise.race([isThere.promise, call])
    const meanwhile = point === undefined ? [] : await inTurn(clients, others)
    goOn.resolve()
    const seen = await bounded(call, JSON.stringify(testCase.call))
    const events = [...seen, ...meanwhile, ...interruptedEvents(testCase, start.id)]
    const models = linearize([start.model], events)
    if (models.length === 0) assert.fail(explain(start.model, events))
    await checkState(harness, models)
    return {
      points,
      stopped: responseText(seen),
      others: meanwhile.map((event) => responseText([event])),
    }
  } finally {
    goOn.resolve()
    await bounded(call, JSON.stringify(testCase.call)).catch(() => {})
    await deleteEverything(harness)
  }
}

/** The first upload, and what the model knows. */
export async function prepare(harness: Harness, clients: Clients, testCase: TestCase) {
  let models: Model[] = [{ ...EMPTY_MODEL, plan: 1e12, products: harness.products }]
  const events = await inTurn(clients, testCase.before)
  for (const event of events) models = linearize(models, [event])
  const [model] = models
  assert.ok(model, `the testCase could not be set: ${JSON.stringify(events)}`)
  const id = model.uploads[0]?.id ?? ''
  await testCase.setUp?.(harness, id)
  // Overdue before the job begins: that is no step of the job.
  if (testCase.call.kind === 'expire') await makeOverdue(harness, id)
  return { id, model: testCase.updateModel?.(model) ?? model }
}

async function inTurn(clients: Clients, commands: Command[]): Promise<Event[]> {
  const events: Event[] = []
  for (const [step, command] of commands.entries()) {
    const seen = await bounded(clients.perform(command, 1), JSON.stringify(command))
    events.push(...seen.map((event) => ({ ...event, step })))
  }
  return events
}

/** No call may wait for one that stands at a point: between two calls of ports nobody holds a lock. */
async function bounded<Result>(work: Promise<Result>, what: string): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`it waits: ${what}`)), WAITS_MS)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function makeOverdue({ context, account }: Harness, id: string): Promise<boolean> {
  return context.database.of(account.id).renewUpload(id, -1)
}

/** As the model test's, but on the ports of the caller: jobs can be stopped like calls. */
export function operatorOf(harness: Harness): Operator {
  const { account, context } = harness
  return {
    changePlan: (bytes) =>
      context.database.changePlan(account.id, { name: 'plan', storage: bytes }),
    async expireUpload(id) {
      const ports = harness.ports()
      if (ports === context) await makeOverdue(harness, id)
      const settings = { ...ports.settings, uploadsKeptForMs: -60_000 }
      await expireUploads({ ...ports, settings }, NEVER)
      const upload = await context.database.of(account.id).findUpload(id)
      // One that is forgotten since had ended.
      return upload?.asset.status ?? 'expired'
    },
    runJob: (name) => JOBS[name](harness.ports()),
  }
}

/** Any of the states that explain the answers will do, once the jobs have run. */
export async function checkState(
  harness: Harness,
  models: Model[],
  simplify = (state: State) => state,
): Promise<void> {
  await runAllJobs(harness)
  const ids = models[0]?.uploads.map(({ id }) => id) ?? []
  const state = simplify(await readState(harness, harness.account, ids))
  const expected = models.map(expectedState)
  if (expected.some((one) => JSON.stringify(one) === JSON.stringify(state))) return
  assert.deepEqual(state, expected[0], `none of ${expected.length} possible states`)
}

/**
 * Every job, at a time when all that was put off is due again, and open uploads that no row knows are
 * old enough to be removed.
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

/** The next cell must not find anything of this one: jobs work on everything. */
export async function deleteEverything({ context, account }: Harness): Promise<void> {
  for await (const { key } of context.storage.listUploads()) {
    await account.call('DELETE', `${API}/assets/${key}`)
  }
  const { body } = await account.call('GET', `${API}/assets?limit=1000`)
  for (const { id } of body.data) await account.call('DELETE', `${API}/assets/${id}`)
  await JOBS.removeObjects(context)
  await JOBS.forgetEndedAssets(context)
}

export function responseText(events: Event[]): string {
  return events.map(({ seen }) => [seen.status, seen.code].filter(Boolean).join(' ')).join(', ')
}

function explain(model: Model, events: Event[]): string {
  const answers = events.map((event) => `  ${JSON.stringify(event)}`).join('\n')
  return `no order of these calls explains the answers:\n${answers}\nin ${JSON.stringify(model)}`
}
