import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { takeStorageAway, uploadInStorage } from '../../test/support/in-storage.ts'
import { NEVER, runJobs } from '../../test/support/run-jobs.ts'
import { aService, type TestService } from '../../test/support/service.ts'
import {
  API,
  cancel,
  complete,
  download,
  putPart,
  putParts,
  requestSession,
  someBytes,
} from '../../test/support/upload.ts'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { resumeUpload } from '../operations/resume-upload.ts'
import { removeOrphanedUploads } from './remove-orphaned-uploads.ts'

const SETTINGS = { STOWAGE_CHUNK_SIZE: '10' }

function inAnHour(): Date {
  return new Date(Date.now() + 3_600_000)
}

function inHours(context: Context, hours: number): Context {
  return { ...context, clock: () => new Date(Date.now() + hours * 3_600_000) }
}

async function ownAccount(context: Context): Promise<AccountContext> {
  const account = await context.database.findAccount('default')
  return forAccount(context, account?.id ?? '')
}

async function assertNothingLeft({ context }: TestService): Promise<void> {
  assert.deepEqual(await Array.fromAsync(context.storage.listUploads()), [])
  const [books] = await context.database.readBooks()
  assert.equal(books?.counted.reserved, 0)
  assert.deepEqual(books?.counted, books?.actual)
  assert.deepEqual(await context.database.listRemovals(10), [])
}

test('an upload that is not finished when its addresses run out expires by itself', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putParts(session, someBytes(25))
  await runJobs(inHours(service.context, 11))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 200)
  await runJobs(inHours(service.context, 13))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 404)
  assert.equal((await complete(service.baseUrl, session)).status, 404)
  assert.equal((await cancel(service.baseUrl, session)).status, 404)
  await assertNothingLeft(service)
})

test('asking for an upload gives it its time again', async (t) => {
  const service = await aService(t, { ...SETTINGS, STOWAGE_SIGNED_FOR: '12h' })
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const later = inHours(service.context, 10)
  await resumeUpload(await ownAccount(later), session.id)
  await runJobs(inHours(service.context, 21))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 200)
  await runJobs(inHours(service.context, 23))
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 404)
})

test('a reservation whose upload never came to be is given back', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  // As after a crash between database and storage.
  await service.context.storage.abortUpload(await uploadInStorage(service, session))
  await runJobs(inHours(service.context, 13))
  await assertNothingLeft(service)
})

test('an upload whose name in the storage was never noted ends like any other', async (t) => {
  const service = await aService(t, SETTINGS)
  const { data, storage } = await ownAccount(service.context)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putParts(session, someBytes(25))
  const { id, key } = await uploadInStorage(service, session)
  // As after a crash right behind the storage's answer: the row has our own name for it, by which
  // a storage that names uploads itself does not know it.
  await data.recordStorageId(key, { previous: id, storageId: session.upload_id })
  const left = async () => (await Array.fromAsync(storage.listUploads())).map((open) => open.id)
  await runJobs(inHours(service.context, 11))
  assert.deepEqual(await left(), [id])
  await runJobs(inHours(service.context, 13))
  assert.deepEqual(await left(), [])
  await assertNothingLeft(service)
})

test('an old upload that no row speaks of is removed, one that a row speaks of stays', async (t) => {
  const service = await aService(t, SETTINGS)
  const { storage } = service.context
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const stranger = { key: newUuid(), id: newUuid() }
  stranger.id = await storage.createUpload({ ...stranger, mime: 'text/plain' })
  const left = async () =>
    (await Array.fromAsync(storage.listUploads())).map(({ key }) => key).sort()
  await runJobs(service.context)
  assert.deepEqual(await left(), [session.id, stranger.key].sort())
  // Only the job that is meant: the others would end the upload of the row, too.
  await removeOrphanedUploads(inHours(service.context, 37), NEVER)
  assert.deepEqual(await left(), [session.id])
})

test('parts that lie in the storage after a cancel are removed', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const { storage } = service.context
  const upload = await uploadInStorage(service, session)
  await cancel(service.baseUrl, session)
  // A part that slipped in makes the upload appear again.
  const id = await storage.createUpload({ ...upload, mime: 'text/plain' })
  const ranges = [{ number: 1, start: 0, end: 10 }]
  const [url = ''] = await storage.signParts({ key: upload.key, id }, ranges, inAnHour())
  assert.equal((await putPart(url, someBytes(10))).status, 200)
  await runJobs(service.context)
  await assertNothingLeft(service)
})

for (const crash of ['before', 'after']) {
  test(`a completion cut off ${crash} the storage’s part of it is carried on`, async (t) => {
    const service = await aService(t, SETTINGS)
    const { data, storage } = await ownAccount(service.context)
    const bytes = someBytes(25)
    const session = await requestSession(service.baseUrl, { bytes })
    await putParts(session, bytes)
    await data.beginCompletion(session.id, new Date())
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

  test(`a client that repeats a completion cut off ${crash} that point finishes it`, async (t) => {
    const service = await aService(t, SETTINGS)
    const { data, storage } = await ownAccount(service.context)
    const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
    const parts = await putParts(session, someBytes(25))
    await data.beginCompletion(session.id, new Date())
    const plan = { size: 25, chunkSize: 10, count: 3 }
    if (crash === 'after') {
      await storage.completeUpload(await uploadInStorage(service, session), plan, [])
    }
    const answer = await complete(service.baseUrl, session, parts)
    assert.deepEqual([answer.status, answer.body.data.status], [200, 'ready'])
    await assertNothingLeft(service)
  })
}

test('a completion whose parts are lost is an upload again, and can be cancelled', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const { data } = await ownAccount(service.context)
  await data.beginCompletion(session.id, new Date())
  await service.context.storage.abortUpload(await uploadInStorage(service, session))
  await runJobs(service.context, { stuckMs: -1 })
  const { body } = await service.call('GET', `${API}/assets/${session.id}/upload`)
  assert.deepEqual([body.status, body.urls.length], ['uploading', 3])
  assert.equal((await cancel(service.baseUrl, session)).status, 200)
  await runJobs(service.context)
  await assertNothingLeft(service)
})

test('while the storage is away nothing is lost, and it is put right on its return', async (t) => {
  const service = await aService(t, SETTINGS)
  const bytes = someBytes(25)
  const unwanted = await requestSession(service.baseUrl, { bytes })
  const wanted = await requestSession(service.baseUrl, { bytes })
  await putParts(wanted, bytes)
  const putBack = await takeStorageAway(service)
  const refused = await complete(service.baseUrl, wanted)
  assert.deepEqual([refused.status, refused.body.code], [503, 'storage_unavailable'])
  assert.ok(refused.headers.get('retry-after'))
  const request = await service.call('POST', `${API}/assets/signed`, { name: 'a', size: 1 })
  assert.equal(request.status, 503)
  assert.equal((await cancel(service.baseUrl, unwanted)).status, 200)
  await runJobs(service.context)
  await putBack()
  assert.equal((await complete(service.baseUrl, wanted)).status, 200)
  await runJobs(inHours(service.context, 1))
  await assertNothingLeft(service)
  assert.deepEqual(await download(service.baseUrl, wanted.id), bytes)
})
