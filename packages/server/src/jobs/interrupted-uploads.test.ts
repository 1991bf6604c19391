import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveUploadOpen } from '@stowage/testing/engines/leave-upload-open'
import { uploadInStorage } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import {
  moveExpiryToPast,
  NEVER,
  runJobs,
  takeOverJobs,
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
import { replaceFile } from '../../test/support/versions.ts'
import { EngineUnavailable } from '../domain/errors.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { finishCompletions, removeOrphanedUploads } from './uploads.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const SETTINGS = { STOWAGE_CHUNK_SIZE: '10' }
const PLAN = { size: 25, chunkSize: 10, count: 3 }
const bytes = someBytes(25)

async function ownData({ database }: Context) {
  const account = await database.findAccount('default')
  return database.of(account?.id ?? '')
}

async function aFullUpload(service: TestService) {
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  return session
}

/** A context whose storage fails in the named calls. */
function withFailing(context: Context, ...names: ('completeUpload' | 'findObject')[]): Context {
  const fail = async () => {
    throw new EngineUnavailable('storage', new Error('it fails now'))
  }
  const failing = Object.fromEntries(names.map((name) => [name, fail]))
  return { ...context, storage: { ...context.storage, ...failing } }
}

test('starting to complete an upload extends its expiry', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await aFullUpload(service)
  await moveExpiryToPast(service.context, [session.id])
  const data = await ownData(service.context)
  const { uploadsKeptForMs } = service.context.settings
  await data.beginCompletion(session.id, { keptForMs: uploadsKeptForMs })
  await runJobs(withFailing(service.context, 'completeUpload'), { stuckMs: -1 })
  const { body } = await service.call('GET', `${API}/assets/${session.id}`)
  assert.equal(body.data.status, 'uploading')
})

for (const names of [['completeUpload'], ['completeUpload', 'findObject']] as const) {
  test(`a completion whose object is stored does not expire if calls of ${names.join(' and ')} fail at the expiry time`, async (t) => {
    const service = await aService(t, SETTINGS)
    const context = await takeOverJobs(service)
    const session = await aFullUpload(service)
    const upload = await uploadInStorage(service, session)
    await context.storage.completeUpload(upload, PLAN, [])
    await (await ownData(context)).beginCompletion(session.id, { keptForMs: -1 })
    await runJobs(withFailing(context, ...names), { stuckMs: -1 })
    await finishCompletions(withClockAhead(context, 2), NEVER)
    assert.deepEqual(await download(service.baseUrl, session.id), bytes)
  })
}

test('if an upload is cancelled after the storage created its object, the object is removed', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = await takeOverJobs(service)
  const { storage } = context
  const session = await aFullUpload(service)
  const upload = await uploadInStorage(service, session)
  await storage.completeUpload(upload, PLAN, [])
  assert.equal((await cancel(service.baseUrl, session)).status, 200)
  await runJobs(context)
  assert.equal(await storage.findObject(session.id), undefined)
  assert.deepEqual(await context.database.listRemovals(10), [])
})

test('no completion creates an object from a removed upload', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = await takeOverJobs(service)
  const { storage } = context
  for (let round = 0; round < 5; round += 1) {
    const session = await aFullUpload(service)
    const upload = await uploadInStorage(service, session)
    const { won } = await (await ownData(context)).cancelUpload(session.id)
    assert.ok(won)
    // Simulates an instance that read the upload before it was cancelled.
    const late = storage.completeUpload(upload, PLAN, []).catch(() => undefined)
    await runJobs(context)
    await late
    await storage.abortUpload(upload)
    assert.equal(await storage.findObject(session.id), undefined)
  }
  assert.deepEqual(await context.database.listRemovals(10), [])
})

test('an overdue upload becomes ready if its object is complete, even if its parts are still listed', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = await takeOverJobs(service)
  const session = await aFullUpload(service)
  const { storage } = context
  const upload = await uploadInStorage(service, session)
  const parts = await storage.listParts(upload)
  await storage.completeUpload(upload, PLAN, [])
  await moveExpiryToPast(context, [session.id])
  // OpenStack Swift behaves like this.
  const listing = { ...storage, listParts: async () => parts }
  await runJobs(withoutRetention({ ...context, storage: listing }))
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('uploads from which an object may have been created are closed or kept, not aborted', async (t) => {
  const service = await aService(t, { ...SETTINGS, STOWAGE_KEEP_VERSIONS: '1' })
  const { context } = service
  const data = await ownData(context)
  const named = await aFullUpload(service)
  const { storageId = '' } = (await data.findUpload(named.id)) ?? {}
  await data.recordStorageId(named.id, { previous: storageId, storageId })
  await complete(service.baseUrl, named)
  // Its first version is no longer kept, but downloads may still need it.
  const replaced = await aFullUpload(service)
  const { storageId: first = '' } = (await data.findUpload(replaced.id)) ?? {}
  await complete(service.baseUrl, replaced)
  for (const seed of [2, 3]) {
    await replaceFile(service, replaced.id, { bytes: someBytes(5, seed) })
  }
  const lost = { key: newUuid(), id: newUuid() }
  lost.id = await context.storage.createUpload({ ...lost, mime: 'text/plain' })
  const range = { number: 1, start: 0, end: 5 }
  const { urls } = await context.storage.signParts(lost, [range], new Date(Date.now() + 60_000))
  await putPart(urls[0] ?? '', someBytes(5))
  await context.storage.completeUpload(lost, { size: 5, chunkSize: 10, count: 1 }, [])
  const aborted: string[] = []
  const closed: string[] = []
  const openedAt = new Date(0)
  const storage = {
    ...context.storage,
    // OpenStack Swift behaves like this.
    async *listUploads() {
      yield { key: named.id, id: storageId, openedAt }
      yield { key: named.id, id: 'another', openedAt }
      yield { key: replaced.id, id: first, openedAt }
      yield { ...lost, openedAt }
      yield { key: newUuid(), id: 'orphan', openedAt }
    },
    async abortUpload(upload: { id: string }) {
      aborted.push(upload.id)
    },
    async closeUpload(upload: { id: string }) {
      closed.push(upload.id)
    },
  }
  await removeOrphanedUploads({ ...context, storage }, NEVER)
  assert.deepEqual(
    [aborted, closed],
    [
      ['another', 'orphan'],
      [storageId, lost.id],
    ],
  )
})

test('an upload that is still open after its file became ready is closed, and the file is kept', async (t) => {
  const service = await aService(t, SETTINGS)
  const { context, baseUrl } = service
  const openIds = async () =>
    (await Array.fromAsync(context.storage.listUploads())).map(({ id }) => id).sort()
  const trashed = await aFullUpload(service)
  const sessions = [await aFullUpload(service), trashed]
  for (const session of sessions) {
    await leaveUploadOpen(context.storage, session.id, { bytes, plan: PLAN })
    assert.equal((await complete(baseUrl, session)).status, 200)
  }
  await service.call('DELETE', `${API}/assets/${trashed.id}`)
  const expected = await Promise.all(
    sessions.map(async (session) => (await uploadInStorage(service, session)).id),
  )
  assert.deepEqual(await openIds(), expected.toSorted())
  await removeOrphanedUploads(context, NEVER)
  assert.deepEqual(await openIds(), [])
  await service.call('POST', `${API}/assets/${trashed.id}/restore`)
  for (const { id } of sessions) assert.deepEqual(await download(baseUrl, id), bytes)
  assert.deepEqual(await service.backdoor.readObjects(), sessions.map(({ id }) => id).toSorted())
})

test('if an asset is deleted while its upload is being closed, its object is removed', async (t) => {
  const service = await aService(t, SETTINGS)
  const { context } = service
  const { id } = await aFullUpload(service)
  const storeObject = () => leaveUploadOpen(context.storage, id, { bytes, plan: PLAN })
  await storeObject()
  await service.call('POST', `${API}/assets/${id}/uploaded`)
  const closeUpload = async () => {
    await service.call('DELETE', `${API}/assets/${id}?permanent=true`)
    await runJobs(context)
    assert.equal(await context.storage.findObject(id), undefined)
    // Storage that closes the upload by copying the object stores it again.
    await storeObject()
  }
  await removeOrphanedUploads({ ...context, storage: { ...context.storage, closeUpload } }, NEVER)
  assert.equal(await context.storage.findObject(id), undefined)
})

test('if one of two instances dies, the other finishes the completions that the first had not claimed', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = await takeOverJobs(service)
  const data = await ownData(context)
  const ids: string[] = []
  for (let index = 0; index < 12; index += 1) {
    const session = await aFullUpload(service)
    await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
    ids.push(session.id)
  }
  // The first instance claims four completions and never finishes them.
  const gate = Promise.withResolvers<never>()
  gate.promise.catch(() => {})
  let claimed = 0
  const completeUpload = () => {
    claimed += 1
    return gate.promise
  }
  const hanging = { ...context.storage, completeUpload }
  const later = withClockAhead(context, 1)
  const dead = finishCompletions({ ...later, storage: hanging }, NEVER)
  await until('it has claimed completions', () => claimed === 4)
  const account = forAccount(context, (await context.database.findAccount('default'))?.id ?? '')
  await runJobs(later)
  const statuses = await Promise.all(
    ids.map(async (id) => (await account.data.findUpload(id))?.status),
  )
  assert.equal(statuses.filter((status) => status === 'ready').length, 8)
  gate.reject(new Error('it dies'))
  await dead
})
