import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLAIM_MS } from '@stowage/server/src/operations/deliveries'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { deliverAll } from '@stowage/testing/service/jobs'
import { aDeployment } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { aSample } from '../sample.ts'
import { type Harness, openHarness, watchPorts } from './harness.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const EVENTS = 2

const AFTER_CLAIMS = 'another instance after the claims have ended'

/**
 * The calls that can run while the instance that sends the webhooks is paused. Each returns the number of events that
 * it has recorded.
 */
const OTHERS: Record<string, (harness: Harness, path: string) => Promise<number>> = {
  'another instance': async ({ context }) => {
    await deliverAll(context)
    return 0
  },
  'a change': async (harness) => {
    await addLink(harness)
    return 1
  },
  [AFTER_CLAIMS]: async ({ context }) => {
    await deliverAll(context, CLAIM_MS + 1000)
    return 0
  },
  'disabling and enabling': async ({ account }, path) => {
    await account.call('PUT', path, { enabled: false })
    await account.call('PUT', path, { enabled: true })
    return 2
  },
  'a new URL and a new secret': async ({ account }, path) => {
    await account.call('PUT', path, { url: 'https://other.example/hook' })
    await account.call('POST', `${path}/rotate`)
    return 2
  },
  'a ping': async ({ account }, path) => {
    await account.call('POST', `${path}/ping`)
    return 0
  },
  'sending all deliveries again': async ({ account }, path) => {
    const { body } = await account.call('GET', `${path}/deliveries`)
    for (const { id } of body.data) {
      await account.call('POST', `${path}/deliveries/${id}/redeliver`)
    }
    return 0
  },
}

/** Deliveries do not use the storage, so two of these calls are enough on S3. */
const others = Object.entries(OTHERS).slice(0, isOnS3 ? 2 : undefined)

/**
 * One run pauses or kills the instance at this share of its points (see `watchPorts`), with a receiver that works and
 * with one that fails.
 */
const SHARE = 0.4
/** The receiver fails once, so a delivery is retried after 5 seconds. A killed instance delays this by its claim. */
const RETRY_MS = [CLAIM_MS + 1000, 60_000]

for (const [name, other] of others) {
  test(`an instance that is paused or killed while it sends webhooks loses no event and queues none twice, with ${name} meanwhile`, async (t) => {
    const { settings } = await aDeployment(t)
    const harness = await openHarness(settings)
    cleanUp(t, () => harness.close())
    const isChosen = aSample(t, SHARE)
    for (const isFailing of [false, true]) {
      const points = await tryPoint(harness, { isFailing, isKilled: false, other })
      for (const isKilled of [false, true]) {
        for (let point = 0; point < points; point += 1) {
          if (isChosen()) await tryPoint(harness, { point, isFailing, isKilled, other })
        }
      }
    }
  })
}

interface Try {
  /** Undefined: the instance is not paused. */
  point?: number
  /** Whether the receiver refuses the first attempt of each delivery. */
  isFailing: boolean
  isKilled: boolean
  other: (typeof OTHERS)[string]
}

/** Returns the number of points that the instance has passed. */
async function tryPoint(harness: Harness, { point, isFailing, isKilled, other }: Try) {
  const { account, context } = harness
  const where = `${isKilled ? 'killed' : 'paused'} at point ${point}, ${isFailing ? 'failing' : 'working'}`
  /** The IDs with which each body was received. */
  const received = new Map<string, Set<string>>()
  const attempted = new Set<string>()
  context.sendWebhook = async ({ headers, body }) => {
    const id = headers['webhook-id'] ?? ''
    received.set(body, (received.get(body) ?? new Set()).add(id))
    const status = isFailing && !attempted.has(id) ? 500 : 200
    attempted.add(id)
    return { status, durationMs: 1, error: null, response: '', retryAfter: null }
  }
  const created = await account.call('POST', `${API}/webhooks`, { url: 'https://shop.example' })
  const { id } = created.body.data
  const path = `${API}/webhooks/${id}`
  for (let count = 0; count < EVENTS; count += 1) await addLink(harness)
  const paused = pauseAt(harness, point)
  const hasPaused = await paused.isPaused
  const added = hasPaused ? await other(harness, path) : 0
  if (!isKilled) await paused.resume()
  // The claims of a killed instance end, and another one continues.
  for (const afterMs of RETRY_MS) await deliverAll(context, afterMs)
  const rows = await context.database.listAllDeliveries(id, undefined, 100)
  const queued = rows.filter(({ eventId }) => eventId !== null)
  const first = Math.min(...queued.map(({ eventId }) => eventId ?? 0))
  const expected = Array.from({ length: queued.length }, (_, index) => first + index)
  const eventIds = queued.map(({ eventId }) => eventId ?? 0).sort((a, b) => a - b)
  assert.deepEqual(eventIds, expected, where)
  assert.equal(queued.length, EVENTS + added, where)
  for (const row of queued) {
    assert.equal(row.status, 'succeeded', where)
    const shown = (await account.call('GET', `${path}/deliveries/${row.id}`)).body.data
    assert.deepEqual(received.get(shown.body), new Set([row.id]), where)
    assert.ok(isFailing || row.failures === 0, where)
  }
  const { data } = (await account.call('GET', path)).body
  assert.equal(data.enabled, true, where)
  // An attempt that succeeds does not clear `failing_since` if the webhook started to fail after the attempt began.
  const mayFail = !isKilled && other === OTHERS[AFTER_CLAIMS]
  if (!mayFail) assert.equal(data.failing_since, null, where)
  await account.call('DELETE', path)
  return paused.passed()
}

/** Sends webhooks up to this point. */
function pauseAt({ context }: Harness, point: number | undefined) {
  const reached = Promise.withResolvers<boolean>()
  const resumed = Promise.withResolvers<void>()
  let passed = 0
  const watched = watchPorts(context, async () => {
    passed += 1
    if (passed - 1 !== point) return
    reached.resolve(true)
    await resumed.promise
  })
  const running = deliverAll(watched)
  void running.then(() => reached.resolve(false))
  return {
    isPaused: reached.promise,
    passed: () => passed,
    async resume() {
      resumed.resolve()
      await running
    },
  }
}

async function addLink({ account }: Harness): Promise<void> {
  const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
  assert.equal((await account.call('POST', `${API}/assets/store`, link)).status, 201)
}
