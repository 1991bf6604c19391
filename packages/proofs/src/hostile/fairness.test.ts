import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, anAccount, type Call, callerWith } from '@stowage/testing/service/accounts'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import type { Flood } from './flood.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const KEYED = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
const CLIENTS = 300
const CALLS = 20
/**
 * How many requests of the flood may be served during one call of another account. Counted, because times depend on the
 * machine and its load: 10 to 50 during a read and 30 to 70 during a write if the accounts take turns, and 200 or more if
 * a call waits for the requests that arrived before it.
 */
const MAX_SERVED = CLIENTS / 2

const KINDS = {
  async read(call: Call) {
    const { status, text } = await call('GET', '/api/v1/assets')
    assert.equal(status, 200, text)
  },
  async write(call: Call) {
    const link = { filename: 'a link', url: 'https://example.com/x', size: 5 }
    const { status, text } = await call('POST', '/api/v1/assets/store', link)
    assert.equal(status, 201, text)
  },
}

async function startFlood(t: TestContext, baseUrl: string, key: string) {
  const served = new Int32Array(new SharedArrayBuffer(4))
  const workerData: Flood = { baseUrl, key, clients: CLIENTS, served }
  const worker = new Worker(new URL('./flood.ts', import.meta.url), { workerData })
  cleanUp(t, () => void worker.terminate())
  let responses = 0
  worker.on('message', () => {
    responses += 1
  })
  await until('every client of the flood had a response', () => responses === CLIENTS)
  return () => Atomics.load(served, 0)
}

async function medianDuring(work: () => Promise<void>, served: () => number): Promise<number> {
  const counts: number[] = []
  for (let index = 0; index < CALLS; index += 1) {
    const before = served()
    await work()
    counts.push(served() - before)
  }
  return counts.sort((a, b) => a - b)[CALLS / 2] ?? 0
}

test('while one account floods the service, a call of another waits for few requests of the flood', async (t) => {
  const deployment = await aDeployment(t)
  const setup = await aService(t, KEYED, deployment)
  const flooding = await anAccount(setup, { name: 'flooding' })
  const other = await anAccount(setup, { name: 'other' })
  await setup.close()
  const { baseUrl } = await aServiceProcess(t, { ...KEYED, STOWAGE_LOG: 'warn' }, deployment)
  const call = callerWith(baseUrl, other.keys.write.secret)
  const served = await startFlood(t, baseUrl, flooding.keys.write.secret)
  const start = served()
  for (const [kind, send] of Object.entries(KINDS)) {
    const median = await medianDuring(() => send(call), served)
    t.diagnostic(`${kind}: ${median} requests of the flood`)
    assert.ok(median <= MAX_SERVED, `a ${kind} waited for ${median} requests of the flood`)
  }
  // Otherwise, the flood has stopped, and no call had to wait.
  assert.ok(served() > start + CALLS)
})
