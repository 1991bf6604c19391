import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, anAccount, type Call, callerWith } from '@stowage/testing/service/accounts'
import { aDeployment } from '@stowage/testing/service/deployment'
import { aService } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'

const KEYED = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
const CLIENTS = 100
const CALLS = 100
/** How much longer another account may wait while one account floods the service. */
const MAX_FACTOR = 5
/** Shorter waits are within the noise of a machine on which other tests run. */
const SHORT_MS = 20
const ROUNDS = 4

/** The time within which 99 % of the calls were answered, in milliseconds. */
async function p99Of(call: Call, count = CALLS): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const start = performance.now()
    const isWrite = index % 3 === 0
    const link = { filename: 'a link', url: 'https://example.com/x', size: 5 }
    const { status, text } = isWrite
      ? await call('POST', '/api/v1/assets/store', link)
      : await call('GET', '/api/v1/assets')
    times.push(performance.now() - start)
    assert.equal(status, isWrite ? 201 : 200, text)
  }
  return times.sort((a, b) => a - b)[Math.ceil(0.99 * count) - 1] ?? 0
}

async function startFlood(t: TestContext, baseUrl: string, key: string) {
  const workerData = { baseUrl, key, clients: CLIENTS }
  const worker = new Worker(new URL('./flood.ts', import.meta.url), { workerData })
  cleanUp(t, () => void worker.terminate())
  let responses = 0
  worker.on('message', () => {
    responses += 1
  })
  await until('every client of the flood had a response', () => responses === CLIENTS)
  return worker
}

test('while one account floods the service, the calls of another take at most five times as long', async (t) => {
  const deployment = await aDeployment(t)
  const setup = await aService(t, KEYED, deployment)
  const flooding = await anAccount(setup, { name: 'flooding' })
  const other = await anAccount(setup, { name: 'other' })
  await setup.close()
  const { baseUrl } = await aServiceProcess(t, { ...KEYED, STOWAGE_LOG: 'warn' }, deployment)
  const call = callerWith(baseUrl, other.keys.write.secret)
  // The first calls are slower.
  await p99Of(call, 20)
  const factors: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await p99Of(call)
    const flood = await startFlood(t, baseUrl, flooding.keys.write.secret)
    const during = await p99Of(call)
    await flood.terminate()
    factors.push(during / Math.max(before, SHORT_MS))
    t.diagnostic(`99 % within ${before.toFixed(1)} ms, during the flood ${during.toFixed(1)} ms`)
    if (factors.some((factor) => factor <= MAX_FACTOR)) return
  }
  assert.fail(`the calls took ${factors.map((factor) => factor.toFixed(1))} times as long`)
})
