import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { makeStorageUnavailable, readObjects } from '@stowage/testing/engines/test-engines'
import { runJobs, takeOverJobs, withClock } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import { API, callUrl, someBytes, uploadFile } from '@stowage/testing/service/upload'
import type { Database } from '../../../src/database/database.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/** More than the buffers of a connection hold. */
const LARGE = 24_000_000

for (const [parts, chunkSize] of [
  ['one part', LARGE],
  ['six parts', 4_000_000],
] as const) {
  test(`if a file of ${parts} is deleted during its download, the download returns correct bytes or is aborted`, async (t) => {
    const service = await aService(t, {
      STOWAGE_TRASH_FOR: '0',
      STOWAGE_CHUNK_SIZE: `${chunkSize}`,
    })
    const bytes = someBytes(LARGE)
    const { id } = await uploadFile(service.baseUrl, { bytes })
    const path = `${API}/assets/${id}`
    const signed = await service.call('GET', `${path}/download`)
    const url = signed.headers.get('location') ?? ''
    const [response] = (await once(request(url).end(), 'response')) as [IncomingMessage]
    assert.deepEqual([response.statusCode, response.headers['content-length']], [200, `${LARGE}`])

    assert.equal((await service.call('DELETE', path)).status, 202)
    await runJobs(service.context)
    assert.deepEqual(await readObjects(service), [])
    const { received, isCut } = await readRest(response)
    assert.ok(received.equals(bytes.subarray(0, received.length)), 'the bytes differ')
    assert.equal(isCut, received.length < LARGE, `${received.length} bytes, cut: ${isCut}`)
    // On disk, the file of the only part is already open, so deleting it does not interrupt the download.
    if (chunkSize === LARGE) assert.equal(isCut, false)
    const again = await callUrl(url)
    assert.equal(again.status, 404)
    assert.equal((await service.call('GET', `${path}/download`)).status, 404)
    await assertUsageConsistent(service)
  })
}

async function readRest(response: IncomingMessage): Promise<{ received: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let isCut = false
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  } catch {
    isCut = true
  }
  return { received: Buffer.concat(chunks), isCut }
}

const HOUR_MS = 3_600_000

/** How long after `now` the only removal becomes due. */
async function pauseUntilDue(database: Database, now: number): Promise<number> {
  const [removal] = await database.listRemovals(10)
  return (removal?.dueAt.getTime() ?? 0) - now
}

async function attemptsOf(database: Database): Promise<number[]> {
  const removals = await database.listRemovals(10)
  return removals.map(({ attempts }) => attempts)
}

test('if a file is deleted during a storage outage, its removal is retried with growing pauses until it succeeds', async (t) => {
  const service = await aService(t, {
    STOWAGE_TRASH_FOR: '0',
    STOWAGE_CHUNK_SIZE: '10',
    STOWAGE_PLAN_STORAGE: '25',
  })
  const context = await takeOverJobs(service)
  const { database } = context
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  const restoreStorage = await makeStorageUnavailable(service)
  const response = await service.call('DELETE', `${API}/assets/${id}`)
  assert.deepEqual([response.status, response.body], [202, { deleted: true }])
  assert.equal((await service.call('GET', `${API}/assets/${id}`)).status, 404)
  assert.equal((await service.call('GET', `${API}/account`)).body.data.available, 25)

  let now = Date.now()
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 14; attempt += 1) {
    await runJobs(withClock(context, () => now))
    assert.deepEqual(await attemptsOf(database), [attempt])
    const pause = await pauseUntilDue(database, now)
    pauses.push(pause)
    // No attempt is made before the pause has passed.
    await runJobs(withClock(context, () => now + pause - 1))
    assert.deepEqual(await attemptsOf(database), [attempt])
    now += pause
  }
  const seconds = pauses.map((pause) => pause / 1000)
  assert.deepEqual(seconds.slice(0, 4), [5, 10, 20, 40])
  assert.deepEqual(
    seconds,
    seconds.toSorted((a, b) => a - b),
  )
  assert.equal(seconds.at(-1), HOUR_MS / 1000)

  // Longer than the database keeps deleted assets.
  now += 30 * 24 * HOUR_MS
  await runJobs(withClock(context, () => now))
  assert.deepEqual(await readObjects(service), [id])
  await restoreStorage()
  now += HOUR_MS
  await runJobs(withClock(context, () => now))
  assert.deepEqual(await readObjects(service), [])
  assert.deepEqual(await attemptsOf(database), [])
  await uploadFile(service.baseUrl, { bytes: someBytes(25, 2) })
  await assertUsageConsistent(service)
})
