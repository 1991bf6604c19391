import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { moveExpiryToPast, runJobs, withoutRetention } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

/** The delays of the calls repeat after 15 rounds. */
const ROUNDS = isOnS3 ? 15 : 30

async function assertUsageConsistent({ context }: TestService): Promise<void> {
  for (const { counted, actual } of await context.database.compareUsage()) {
    assert.deepEqual(counted, actual)
  }
}

test('of 200 concurrent requests for a tenth of the plan each, exactly 10 succeed, and again after these are cancelled', async (t) => {
  const service = await aService(t, { STOWAGE_PLAN_STORAGE: '1000' })
  const request = () => service.call('POST', `${API}/assets/signed`, { name: 'a', size: 100 })
  for (let round = 0; round < 2; round += 1) {
    const responses = await Promise.all(Array.from({ length: 200 }, request))
    const sessions: UploadSession[] = responses
      .filter(({ status }) => status === 201)
      .map(({ body }) => body)
    const refused = responses.filter(({ status }) => status === 402)
    assert.deepEqual([sessions.length, refused.length], [10, 190])
    const cancels = await Promise.all(
      sessions.flatMap((session) => [1, 2, 3].map(() => cancel(service.baseUrl, session))),
    )
    assert.deepEqual(new Set(cancels.map(({ status }) => status)), new Set([200]))
    await assertUsageConsistent(service)
  }
})

test('concurrent completions all return the ready asset', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  for (let round = 0; round < 5; round += 1) {
    const bytes = someBytes(35, round)
    const session = await requestSession(service.baseUrl, { bytes })
    const parts = await putParts(session, bytes)
    const responses = await Promise.all(
      [parts, [], parts, parts.slice(1), []].map((list) =>
        complete(service.baseUrl, session, list),
      ),
    )
    for (const { status, body } of responses) {
      assert.deepEqual([status, body.data?.status], [200, 'ready'], JSON.stringify(body))
    }
    assert.deepEqual(await download(service.baseUrl, session.id), bytes)
  }
  await assertUsageConsistent(service)
})

test('if an upload is completed, cancelled and expired at the same time, only one of these succeeds, and usage is consistent', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const { context } = service
  const outcomes = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = someBytes(25, round)
    const session = await requestSession(service.baseUrl, { bytes })
    await putParts(session, bytes)
    // A completion reads the parts first, so the others are delayed by a varying number of requests.
    const delay = async (requests: number) => {
      for (let count = 0; count < requests; count += 1) await service.call('GET', '/healthz')
    }
    const cancelLater = async () => {
      await delay(round % 3)
      return cancel(service.baseUrl, session)
    }
    const expireLater = async () => {
      await delay(round % 5)
      await moveExpiryToPast(context, [session.id])
      await runJobs(withoutRetention(context))
      return { status: 0 }
    }
    const calls = [() => complete(service.baseUrl, session), cancelLater, expireLater]
    // In the first rounds, each call is sent before the others once.
    const [ahead] = round < calls.length ? calls.splice(round, 1) : []
    const first = ahead === undefined ? [] : [await ahead()]
    const responses = [...first, ...(await Promise.all(calls.map((call) => call())))]
    const asset = await service.call('GET', `${API}/assets/${session.id}`)
    const won = responses.filter(({ status }) => status === 200)
    if (asset.status === 200) {
      assert.equal(asset.body.data.status, 'ready')
      assert.deepEqual(await download(service.baseUrl, session.id), bytes)
      assert.equal(won.length, 1)
      outcomes.add('ready')
    } else {
      assert.ok(won.length <= 1)
      outcomes.add(won.length === 1 ? 'cancelled' : 'expired')
    }
    await assertUsageConsistent(service)
  }
  assert.equal(outcomes.size, 3, `only ${[...outcomes]}`)
  await runJobs(context)
  assert.deepEqual(await Array.fromAsync(context.storage.listUploads()), [])
})

test('concurrent requests with the same Idempotency-Key get the same session', async (t) => {
  const service = await aService(t)
  const responses = await Promise.all(
    Array.from({ length: 20 }, () =>
      service.call(
        'POST',
        `${API}/assets/signed`,
        { name: 'a', size: 7 },
        { 'Idempotency-Key': 'k' },
      ),
    ),
  )
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(responses.map(({ body }) => body.id)).size, 1)
  await assertUsageConsistent(service)
})
