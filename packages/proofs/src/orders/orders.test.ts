import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { checkEvents } from '@stowage/server/src/database/contract/check-events'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { seedOf } from '@stowage/testing/machine/random'
import { aKeyedService, anAccount } from '@stowage/testing/service/accounts'
import { aDeployment, type TestService } from '@stowage/testing/service/service'
import fc from 'fast-check'
import { type Harness, openHarness } from '../interleavings/harness.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { aSample } from '../sample.ts'
import {
  batchesOf,
  type Command,
  EMPTY,
  type Event,
  explain,
  linearize,
  type Model,
  shownOf,
  shownWithJobs,
} from './order-model.ts'
import { modelsShown, NO_MAIL_SERVER, openShop, type Shop } from './shop.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Run more sequences, repeat a run, or run all pairs:
 *
 *     ORDER_RUNS=1000 npx node --test packages/proofs/src/orders/orders.test.ts
 *     ORDER_SEED=123 npx node --test packages/proofs/src/orders/orders.test.ts
 *     POINTS=all npx node --test packages/proofs/src/orders/orders.test.ts
 */
const { ORDER_RUNS = isOnS3 ? '8' : '30', POINTS } = process.env
const ORDER_SEED = seedOf('ORDER_SEED')

test('the responses to random calls about orders and downloads follow the rules', async (t) => {
  t.diagnostic(`ORDER_SEED=${ORDER_SEED} repeats the random choices`)
  const service = await aKeyedService(t, NO_MAIL_SERVER)
  const passDay = openDays(t, service)
  const runs = Number(ORDER_RUNS)
  let calls = 0
  let accounts = 0
  let running = Promise.resolve()
  const property = fc.asyncProperty(batchesOf(!isOnS3), async (batches) => {
    running = run(batches)
    await running
  })
  async function run(batches: Command[][]): Promise<void> {
    accounts += 1
    const { call, id } = await anAccount(service, { name: `orders ${accounts}` })
    const shop = await openShop({ call, get: getStatus, passDay })
    let models: Model[] = [EMPTY]
    for (const batch of batches) {
      calls += batch.length
      const events = await Promise.all(batch.map(shop.perform))
      models = await check(shop, models, events, shownWithJobs)
    }
    const { database } = service.context
    await checkEvents(database, id)
    assert.deepEqual(await database.compareDownloads(10), [])
  }
  await fc.assert(property, {
    seed: ORDER_SEED,
    numRuns: runs,
    // Each shrunk case is run for real: without a limit a failure would take minutes to report.
    interruptAfterTimeLimit: 20_000 + runs * 3_000,
  })
  // The last sequence is still running if the time limit has interrupted it.
  await running
  t.diagnostic(`${accounts} sequences, ${calls} calls`)
  await saveResult(isOnS3 ? 'orders-postgres-s3' : 'orders-sqlite-disk', {
    command: commandOf(import.meta.filename, { ORDER_RUNS, ORDER_SEED }),
    rows: {
      Sequences: String(accounts),
      Calls: calls.toLocaleString('en'),
      'Non-linearizable responses and wrong counters': '0',
    },
  })
})

async function check(
  shop: Shop,
  models: Model[],
  events: Event[],
  show = shownOf,
): Promise<Model[]> {
  const next = linearize(models, events)
  if (next.length === 0) {
    assert.fail(`no order of these calls explains the responses:\n${explain(models, events)}`)
  }
  return modelsShown(shop, next, show).catch((error) => {
    assert.fail(`${error.message}\n${explain(models, events)}`)
  })
}

async function getStatus(url: string, range: string): Promise<number> {
  const response = await fetch(url, { headers: { Range: range }, redirect: 'manual' })
  await response.arrayBuffer()
  return response.status
}

/** On SQLite, the database is changed by another process, as by the time that passes. */
function openDays(t: TestContext, { folder }: TestService): () => void {
  if (isOnS3) return () => assert.fail('time cannot pass on PostgreSQL')
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec('pragma busy_timeout = 5000')
  cleanUp(t, () => database.close())
  return () => database.exec('update order_files set open_until = open_until - 86400000')
}

const ORDER = { order: 0, file: 0 } as const
const sell: Command = { kind: 'sell', product: 1, file: 0, isAttached: true }
const open: Command = { kind: 'open', ...ORDER }
const start: Command = { kind: 'start', ...ORDER }
const create: Command = { kind: 'create', order: 0, quantities: [1], max: 1 }
const own: Command = { kind: 'own', ...ORDER, isAttached: true }
const TEN_STARTS = Array.from({ length: 10 }, () => start)

/** Calls that are paused, and those that create the state in which they start. */
const PAUSED: Record<string, { before: Command[]; call: Command }> = {
  'create an order': { before: [sell], call: create },
  'create it again': { before: [sell, create], call: create },
  'change the limit': { before: [sell, create, open], call: { kind: 'limit', order: 0, max: 2 } },
  'hold it': { before: [sell, create], call: { kind: 'hold', order: 0, held: true } },
  'refund it': {
    before: [sell, { ...create, quantities: [3] }, open],
    call: { kind: 'refund', order: 0, quantities: [3], refunded: 1 },
  },
  'revoke it': { before: [sell, create, open], call: { kind: 'revoke', order: 0 } },
  'attach a file to it': { before: [sell, create], call: own },
  'detach a file from it': { before: [sell, create, own], call: { ...own, isAttached: false } },
  'open a download': { before: [sell, create], call: open },
  'join a download': { before: [sell, create, open], call: open },
  'start a download': { before: [sell, create, open], call: start },
  'start it for the eleventh time': { before: [sell, create, open, ...TEN_STARTS], call: start },
  'start it for the eleventh time, with another one left': {
    before: [sell, { ...create, max: 2 }, open, ...TEN_STARTS],
    call: start,
  },
  'resume a download': { before: [sell, create, open], call: { kind: 'resume', ...ORDER } },
}

/** What another client does meanwhile. */
const OTHERS: Record<string, Command[]> = {
  'create it': [create],
  'open a download': [open],
  'open and start it': [open, start],
  'start it': [start],
  'raise the limit': [{ kind: 'limit', order: 0, max: 2 }],
  'remove the limit': [{ kind: 'limit', order: 0, max: null }],
  'refund it all': [{ kind: 'refund', order: 0, quantities: [1], refunded: 1 }],
  'refund one of three, start': [{ kind: 'refund', order: 0, quantities: [3], refunded: 1 }, start],
  'hold it': [{ kind: 'hold', order: 0, held: true }],
  'hold and release it': [
    { kind: 'hold', order: 0, held: true },
    { kind: 'hold', order: 0, held: false },
  ],
  'revoke it': [{ kind: 'revoke', order: 0 }],
  'attach the file to it': [own],
  'detach the file from its product': [{ ...sell, isAttached: false }],
  'replace the file': [{ kind: 'replace', file: 0 }],
  'delete the file': [{ kind: 'trash', file: 0 }],
  'delete and restore the file': [
    { kind: 'trash', file: 0 },
    { kind: 'restore', file: 0 },
  ],
}

test('while a call about an order is paused at any step, other calls run: all responses and counters are correct', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const harness = await openHarness(deployment.settings)
  cleanUp(t, () => harness.close())
  const isChosen = aSample(t, POINTS === 'all' ? 1 : isOnS3 ? 0.05 : 0.25)
  const failures: string[] = []
  let pairs = 0
  for (const [name, paused] of Object.entries(PAUSED)) {
    const points = await pauseAt(harness, paused, { point: Number.POSITIVE_INFINITY, others: [] })
    assert.ok(points > 1, `${name} has ${points} points`)
    for (let point = 0; point < points; point += 1) {
      for (const [other, others] of Object.entries(OTHERS)) {
        if (!isChosen()) continue
        pairs += 1
        await pauseAt(harness, paused, { point, others }).catch((error) =>
          failures.push(`${name}, paused at ${point} × ${other}: ${error.message}`),
        )
      }
    }
  }
  t.diagnostic(`${pairs} pairs`)
  assert.equal(failures.length, 0, failures.slice(0, 5).join('\n\n'))
  assert.deepEqual(await harness.context.database.compareDownloads(10), [])
  await harness.checkEvents()
})

let shops = 0

/** Runs the others while the call is paused at this point. Returns the number of its points. */
async function pauseAt(
  harness: Harness,
  { before, call }: { before: Command[]; call: Command },
  { point, others }: { point: number; others: Command[] },
): Promise<number> {
  shops += 1
  const shop = await openShop({
    call: harness.account.call,
    get: async (url, range) => {
      const { pathname } = new URL(url)
      return (await harness.account.call('GET', pathname, undefined, { range })).status
    },
    passDay: () => assert.fail('no time passes here'),
    number: shops,
  })
  let models: Model[] = [EMPTY]
  for (const command of before) models = await check(shop, models, [await shop.perform(command)])
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  let points = 0
  const running = harness.runWithPoints(
    async () => {
      points += 1
      if (points - 1 !== point) return
      reached.resolve()
      await resumed.promise
    },
    () => shop.perform(call),
  )
  await Promise.race([reached.promise, running])
  const sequence: Event[] = []
  try {
    for (const command of others) sequence.push(await shop.perform(command))
  } finally {
    resumed.resolve()
  }
  const seen = await running
  // The other client made its calls one after the other.
  const next = insertions(seen, sequence).flatMap((events) =>
    events.reduce((found, event) => linearize(found, [event]), models),
  )
  if (next.length === 0) assert.fail(explain(models, [seen, ...sequence]))
  await modelsShown(shop, next, shownOf)
  return points
}

/** The event at each position between the others. */
function insertions(event: Event, others: Event[]): Event[][] {
  return Array.from({ length: others.length + 1 }, (_, at) => others.toSpliced(at, 0, event))
}
