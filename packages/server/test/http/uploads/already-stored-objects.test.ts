import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readObjects, uploadInStorage } from '@stowage/testing/engines/test-engines'
import { runJobs } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
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

/**
 * The storage has created the object, but the row is still `uploading`: a refused completion reopened the
 * upload, and the completion that succeeded was killed before it could update the row.
 */
async function aCompletedObject(t: TestContext, running?: TestService) {
  const service = running ?? (await aService(t, { STOWAGE_CHUNK_SIZE: '10' }))
  const bytes = someBytes(25)
  const session = await requestSession(service.baseUrl, { bytes })
  const parts = await putParts(session, bytes)
  const plan = { size: 25, chunkSize: 10, count: 3 }
  const upload = await uploadInStorage(service, session)
  const { outcome } = await service.context.storage.completeUpload(upload, plan, [])
  assert.equal(outcome, 'completed')
  return { service, bytes, session, parts }
}

test('completing an upload whose object already exists in the storage makes it ready', async (t) => {
  const running = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  for (const areListed of [true, false]) {
    const { service, bytes, session, parts } = await aCompletedObject(t, running)
    const response = await complete(service.baseUrl, session, areListed ? parts : undefined)
    assert.deepEqual([response.status, response.body.data?.status], [200, 'ready'])
    assert.deepEqual(await download(service.baseUrl, session.id), bytes)
    await assertUsageConsistent(service)
  }
})

test('resuming an upload whose object already exists in the storage makes it ready and opens no upload', async (t) => {
  const { service, bytes, session } = await aCompletedObject(t)
  const response = await service.call('GET', `${API}/assets/${session.id}/upload`)
  assert.deepEqual([response.status, response.body.status, response.body.urls], [200, 'ready', []])
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
  await assertUsageConsistent(service)
})

test('repeating the request for an upload whose object already exists in the storage signs no parts', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const bytes = someBytes(25)
  const request = async () => {
    const file = { name: 'a', size: bytes.length, mime: 'text/plain' }
    const key = { 'Idempotency-Key': 'k' }
    return (await service.call('POST', `${API}/assets/signed`, file, key)).body
  }
  const session = await request()
  await putParts(session, bytes)
  const plan = { size: 25, chunkSize: 10, count: 3 }
  const upload = await uploadInStorage(service, session)
  await service.context.storage.completeUpload(upload, plan, [])
  const repeated = await request()
  assert.deepEqual([repeated.id, repeated.urls], [session.id, []])
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('cancelling an upload whose object already exists in the storage removes the object', async (t) => {
  const { service, session } = await aCompletedObject(t)
  assert.equal((await cancel(service.baseUrl, session)).status, 200)
  await runJobs(service.context)
  assert.deepEqual(await readObjects(service), [])
  assert.deepEqual(await service.context.database.listRemovals(1), [])
  await assertUsageConsistent(service)
})

test('completing an upload that the storage has lost reports the missing parts, which can be sent again', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const bytes = someBytes(25)
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  await service.context.storage.abortUpload(await uploadInStorage(service, session))
  const refused = await complete(service.baseUrl, session)
  assert.equal(refused.status, 422)
  assert.match(refused.body.errors.parts[0], /^1, 2, 3 not received/)
  const resumed = await service.call('GET', `${API}/assets/${session.id}/upload`)
  assert.equal(resumed.body.urls.length, 3)
  await putParts(resumed.body, bytes)
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})
