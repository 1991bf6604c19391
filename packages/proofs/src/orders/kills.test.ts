import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { checkEvents } from '@stowage/server/src/database/contract/check-events'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { freePort } from '@stowage/testing/machine/ports'
import { aRandom, seedOf } from '@stowage/testing/machine/random'
import { aDeployment, aService, callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import fc from 'fast-check'
import {
  type Command,
  command,
  EMPTY,
  explain,
  linearize,
  type Model,
  shownWithJobs,
  UNKNOWN,
} from './order-model.ts'
import { modelsShown, NO_MAIL_SERVER, openShop } from './shop.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Kill more often, or repeat a run:
 *
 *     ORDER_KILLS=500 TEST_TIMEOUT_MS=3600000 npx node --test packages/proofs/src/orders/kills.test.ts
 *     ORDER_SEED=123 npx node --test packages/proofs/src/orders/kills.test.ts
 */
const KILLS = Number(process.env.ORDER_KILLS ?? (isOnS3 ? 5 : 10))
/** Between two kills. */
const BATCHES = 4
const CONCURRENT = 4
/** About as long as the calls of a batch take. */
const LONGEST_PAUSE_MS = 15

test(`after ${KILLS} kills during calls about orders and downloads, every response and every counter is correct`, async (t) => {
  const seed = seedOf('ORDER_SEED')
  t.diagnostic(`ORDER_SEED=${seed} repeats the random choices`)
  const random = aRandom(seed)
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const settings = {
    ...NO_MAIL_SERVER,
    STOWAGE_PORT: String(await freePort()),
    STOWAGE_LOG: 'warn',
  }
  const start = () => aServiceProcess(t, settings, deployment)
  let service = await start()
  const shop = await openShop({
    call: async (method, path, body) => {
      const response = await callJson(service.baseUrl + path, { method, body })
      return { ...response, text: '' }
    },
    async get(url, range) {
      const response = await fetch(url, { headers: { Range: range }, redirect: 'manual' })
      await response.arrayBuffer()
      return response.status
    },
    passDay: () => assert.fail('no time passes here'),
    mayBreak: true,
  })
  const batches = fc.sample(fc.array(usual, { minLength: CONCURRENT, maxLength: CONCURRENT }), {
    seed,
    numRuns: KILLS * BATCHES,
  })
  let models: Model[] = [EMPTY]
  let lost = 0
  async function run(batch: Command[]): Promise<void> {
    const events = await Promise.all(batch.map(shop.perform))
    lost += events.filter(({ seen }) => seen.status === UNKNOWN).length
    const next = linearize(models, events)
    if (next.length === 0) assert.fail(explain(models, events))
    models = next
  }
  for (const [index, batch] of [PREPARATION, ...batches].entries()) {
    if (index === 0 || index % BATCHES !== 0) {
      for (const one of index === 0 ? batch.map((single) => [single]) : [batch]) await run(one)
    } else {
      const running = run(batch)
      // Deliberately not synchronized with any step.
      await pause(random.between(0, LONGEST_PAUSE_MS))
      assert.equal(service.failures(), '')
      await service.stop('SIGKILL')
      await running
      service = await start()
    }
    const possible = models
    models = await modelsShown(shop, possible, shownWithJobs).catch((error) => {
      assert.fail(`after batch ${index}: ${error.message}\n${JSON.stringify(batch)}`)
    })
  }
  await service.stop('SIGTERM')
  t.diagnostic(`${KILLS} kills, ${lost} lost responses`)
  assert.ok(lost > 0)
  const { context } = await aService(t, {}, deployment)
  const { id } = (await context.database.findAccount('default')) ?? assert.fail()
  await checkEvents(context.database, id)
  assert.deepEqual(await context.database.compareDownloads(10), [])
})

/** An interrupted replacement may be finished at any time later. */
const usual = command.filter(({ kind }) => kind !== 'replace')

const PREPARATION: Command[] = [
  { kind: 'sell', product: 1, file: 0, isAttached: true },
  { kind: 'create', order: 0, quantities: [1], max: 2, notify: true },
  { kind: 'create', order: 1, quantities: [2, 1], max: null },
]
