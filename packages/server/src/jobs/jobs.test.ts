import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeStorageUnavailable, uploadInStorage } from '@stowage/testing/engines/test-engines'
import {
  moveExpiryToPast,
  NEVER,
  runJobs,
  withClockAhead,
  withoutRetention,
} from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  complete,
  download,
  putPart,
  putParts,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'
import { v7 as newUuid } from 'uuid'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { resumeUpload } from '../operations/uploads/resume.ts'
import type { StorageUpload } from '../storage/storage.ts'
import { removeOrphanedUploads } from './uploads.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const SETTINGS = { STOWAGE_CHUNK_SIZE: '10' }

function inAnHour(): Date {
  return new Date(Date.now() + 3_600_000)
}

async function ownAccount(context: Context): Promise<AccountContext> {
  const account = await context.database.findAccount('default')
  return forAccount(context, account?.id ?? '')
}

async function assertNothingLeft({ context }: TestService): Promise<void> {
  assert.deepEqual(await Array.fromAsync(context.storage.listUploads()), [])
  const [usage] = await context.database.compareUsage()
  assert.equal(usage?.counted.reserved, 0)
  assert.deepEqual(usage?.counted, usage?.actual)
  assert.deepEqual(await context.database.listRemovals(10), [])
}

test('an upload without activity expires after the configured time, long after its URLs', async (t) => {
  const service = await aService(t, SETTINGS)
  const { context } = service
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putParts(session, someBytes(25))
  const { data } = await ownAccount(context)
  const keptForMs = 7 * 24 * 3_600_000
  const { expiresAt } = (await data.findUpload(session.id)) ?? {}
  const leftMs = Number(expiresAt) - Date.now()
  assert.ok(Math.abs(leftMs - keptForMs) < 60_000, `kept for ${leftMs} ms`)
  await runJobs(withoutRetention(context))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 200)
  await moveExpiryToPast(context, [session.id])
  await runJobs(withoutRetention(context))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 404)
  assert.equal((await complete(service.baseUrl, session)).status, 404)
  assert.equal((await cancel(service.baseUrl, session)).status, 404)
  await assertNothingLeft(service)
})

test('an instance whose clock is years ahead does not expire uploads', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const clock = () => new Date(Date.now() + 20_000 * 3_600_000)
  await runJobs({ ...service.context, clock })
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 200)
})

test('resuming an upload extends its expiry', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await moveExpiryToPast(service.context, [session.id])
  await resumeUpload(await ownAccount(service.context), session.id)
  await runJobs(withoutRetention(service.context))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 200)
})

test('a recently received part extends the expiry of an overdue upload', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const idle = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putPart(session.urls[1]?.url ?? '', someBytes(25).subarray(10, 20))
  await moveExpiryToPast(service.context, [session.id, idle.id])
  await runJobs(service.context)
  assert.equal((await service.call('GET', `${API}/assets/${idle.id}`)).status, 404)
  const { data } = await ownAccount(service.context)
  const { expiresAt } = (await data.findUpload(session.id)) ?? {}
  const leftMs = Number(expiresAt) - Date.now()
  assert.ok(leftMs > 6.9 * 24 * 3_600_000, `kept for ${leftMs} ms more`)
})

test('an overdue upload whose object is stored becomes ready', async (t) => {
  const service = await aService(t, SETTINGS)
  const bytes = someBytes(25)
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  const plan = { size: 25, chunkSize: 10, count: 3 }
  const upload = await uploadInStorage(service, session)
  await service.context.storage.completeUpload(upload, plan, [])
  await moveExpiryToPast(service.context, [session.id])
  await runJobs(withoutRetention(service.context))
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('an upload that cannot be checked in the storage is kept for as long as its URLs are valid', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const restoreStorage = await makeStorageUnavailable(service)
  await moveExpiryToPast(service.context, [session.id])
  await runJobs(withoutRetention(service.context))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 200)
  const context = withoutRetention(service.context)
  await runJobs({ ...context, settings: { ...context.settings, signedForMs: 0 } })
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 404)
  await restoreStorage()
  await runJobs(withClockAhead(service.context, 1))
  await assertNothingLeft(service)
})

test('an overdue upload whose completion still fails expires', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const { data } = await ownAccount(service.context)
  await data.beginCompletion(session.id, { keptForMs: -1 })
  const restoreStorage = await makeStorageUnavailable(service)
  await runJobs(service.context, { stuckMs: -1 })
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 200)
  const { context } = service
  const later = { ...withClockAhead(context, 1), settings: { ...context.settings, signedForMs: 0 } }
  await runJobs(later, { stuckMs: -1 })
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 404)
  await restoreStorage()
  await runJobs(withClockAhead(service.context, 1))
  await assertNothingLeft(service)
})

test('a reservation without an upload in the storage is released', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  // Simulates a crash after the database was written and before the storage was called.
  await service.context.storage.abortUpload(await uploadInStorage(service, session))
  await moveExpiryToPast(service.context, [session.id])
  await runJobs(service.context)
  await assertNothingLeft(service)
})

test('an upload whose storage ID was never recorded expires like any other', async (t) => {
  const service = await aService(t, SETTINGS)
  const { data, storage } = await ownAccount(service.context)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putParts(session, someBytes(25))
  const { id, key } = await uploadInStorage(service, session)
  // Simulates a crash after the storage opened the upload: the row has the service’s own ID, which a
  // storage that chooses the IDs itself does not know.
  await data.recordStorageId(key, { previous: id, storageId: session.upload_id })
  const openIds = async () => (await Array.fromAsync(storage.listUploads())).map((open) => open.id)
  await runJobs(service.context)
  assert.deepEqual(await openIds(), [id])
  await moveExpiryToPast(service.context, [session.id])
  await runJobs(withoutRetention(service.context))
  assert.deepEqual(await openIds(), [])
  await assertNothingLeft(service)
})

test('an orphaned upload that cannot be removed does not block others', async (t) => {
  const service = await aService(t, SETTINGS)
  const { storage } = service.context
  const keys = [newUuid(), newUuid(), newUuid()]
  for (const key of keys) await storage.createUpload({ key, id: newUuid(), mime: 'text/plain' })
  const [stubborn] = await Array.fromAsync(storage.listUploads())
  const abortUpload = async (upload: StorageUpload) => {
    if (upload.key === stubborn?.key) throw new Error('the storage refuses to remove it')
    await storage.abortUpload(upload)
  }
  const later = withClockAhead(service.context, 37)
  await removeOrphanedUploads({ ...later, storage: { ...storage, abortUpload } }, NEVER)
  const remaining = (await Array.fromAsync(storage.listUploads())).map(({ key }) => key)
  assert.deepEqual(remaining, [stubborn?.key])
})

test('an old upload without a row is removed, one with a row is kept', async (t) => {
  const service = await aService(t, SETTINGS)
  const { storage } = service.context
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const orphan = { key: newUuid(), id: newUuid() }
  orphan.id = await storage.createUpload({ ...orphan, mime: 'text/plain' })
  const openKeys = async () =>
    (await Array.fromAsync(storage.listUploads())).map(({ key }) => key).sort()
  await runJobs(service.context)
  assert.deepEqual(await openKeys(), [session.id, orphan.key].sort())
  // Runs only this job: the others would also end the upload that has a row.
  const clock = () => new Date(Date.now() + 37 * 3_600_000)
  await removeOrphanedUploads({ ...service.context, clock }, NEVER)
  assert.deepEqual(await openKeys(), [session.id, orphan.key].sort())
  await removeOrphanedUploads(withClockAhead(service.context, 37), NEVER)
  assert.deepEqual(await openKeys(), [session.id])
})

test('parts that are in the storage after a cancel are removed', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const { storage } = service.context
  const upload = await uploadInStorage(service, session)
  await cancel(service.baseUrl, session)
  // A late part makes the upload appear again.
  const id = await storage.createUpload({ ...upload, mime: 'text/plain' })
  const ranges = [{ number: 1, start: 0, end: 10 }]
  const {
    urls: [url = ''],
  } = await storage.signParts({ key: upload.key, id }, ranges, inAnHour())
  assert.equal((await putPart(url, someBytes(10))).status, 200)
  await runJobs(service.context)
  await assertNothingLeft(service)
})

for (const crash of ['before', 'after']) {
  test(`a job finishes a completion that was interrupted ${crash} the storage completed the upload`, async (t) => {
    const service = await aService(t, SETTINGS)
    const { data, storage } = await ownAccount(service.context)
    const bytes = someBytes(25)
    const session = await requestSession(service.baseUrl, { bytes })
    await putParts(session, bytes)
    await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
    const plan = { size: 25, chunkSize: 10, count: 3 }
    if (crash === 'after') {
      await storage.completeUpload(await uploadInStorage(service, session), plan, [])
    }
    assert.equal((await cancel(service.baseUrl, session)).body.code, 'upload_completing')
    await runJobs(service.context)
    const early = await service.call('GET', `${API}/assets/${session.id}`)
    assert.equal(early.body.data.status, 'uploading')
    await runJobs(service.context, { stuckMs: -1 })
    assert.deepEqual(await download(service.baseUrl, session.id), bytes)
    await assertNothingLeft(service)
  })

  test(`a client can finish a completion that was interrupted ${crash} the storage completed the upload`, async (t) => {
    const service = await aService(t, SETTINGS)
    const { data, storage } = await ownAccount(service.context)
    const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
    const parts = await putParts(session, someBytes(25))
    await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
    const plan = { size: 25, chunkSize: 10, count: 3 }
    if (crash === 'after') {
      await storage.completeUpload(await uploadInStorage(service, session), plan, [])
    }
    const response = await complete(service.baseUrl, session, parts)
    assert.deepEqual([response.status, response.body.data.status], [200, 'ready'])
    await assertNothingLeft(service)
  })
}

test('an upload whose parts are lost during its completion is reopened and can be cancelled', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const { data } = await ownAccount(service.context)
  await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
  await service.context.storage.abortUpload(await uploadInStorage(service, session))
  await runJobs(service.context, { stuckMs: -1 })
  const { body } = await service.call('GET', `${API}/assets/${session.id}/upload`)
  assert.deepEqual([body.status, body.urls.length], ['uploading', 3])
  assert.equal((await cancel(service.baseUrl, session)).status, 200)
  await runJobs(service.context)
  await assertNothingLeft(service)
})

test('nothing is lost during an outage of the storage, and the jobs catch up afterward', async (t) => {
  const service = await aService(t, SETTINGS)
  const bytes = someBytes(25)
  const unwanted = await requestSession(service.baseUrl, { bytes })
  const wanted = await requestSession(service.baseUrl, { bytes })
  await putParts(wanted, bytes)
  const restoreStorage = await makeStorageUnavailable(service)
  const refused = await complete(service.baseUrl, wanted)
  assert.deepEqual([refused.status, refused.body.code], [503, 'storage_unavailable'])
  assert.ok(refused.headers.get('retry-after'))
  const request = await service.call('POST', `${API}/assets/signed`, { name: 'a', size: 1 })
  assert.equal(request.status, 503)
  assert.equal((await cancel(service.baseUrl, unwanted)).status, 200)
  await runJobs(service.context)
  await restoreStorage()
  assert.equal((await complete(service.baseUrl, wanted)).status, 200)
  await runJobs(withClockAhead(service.context, 1))
  await assertNothingLeft(service)
  assert.deepEqual(await download(service.baseUrl, wanted.id), bytes)
})
