import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadInStorage } from '@stowage/testing/engines/storage-backdoor'
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
import { NEVER, runJobs, takeOverJobs } from '../../test/support/run-jobs.ts'
import {
  moveExpiryToPast,
  withClockAhead,
  withoutRetention,
} from '../../test/support/upload-expiry.ts'
import { EngineUnavailable } from '../errors.ts'
import { type Context, forAccount } from '../operations/context.ts'
import { finishCompletions } from './finish-completions.ts'
import { removeOrphanedUploads } from './remove-orphaned-uploads.ts'

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

/** A context whose storage fails in the calls named. */
function withFailing(context: Context, ...names: ('completeUpload' | 'findObject')[]): Context {
  const fail = async () => {
    throw new EngineUnavailable('storage', new Error('it fails now'))
  }
  const failing = Object.fromEntries(names.map((name) => [name, fail]))
  return { ...context, storage: { ...context.storage, ...failing } }
}

test('beginning to complete an upload keeps it for its whole time again', async (t) => {
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
  test(`a completion whose object is whole survives that ${names.join(' and ')} failed when its time was up`, async (t) => {
    const service = await aService(t, SETTINGS)
    const context = takeOverJobs(service)
    const session = await aFullUpload(service)
    const upload = await uploadInStorage(service, session)
    await context.storage.completeUpload(upload, PLAN, [])
    await (await ownData(context)).beginCompletion(session.id, { keptForMs: -1 })
    await runJobs(withFailing(context, ...names), { stuckMs: -1 })
    await finishCompletions(withClockAhead(context, 2), NEVER)
    assert.deepEqual(await download(service.baseUrl, session.id), bytes)
  })
}

test('the object that a completion made in a cancelled upload goes with the upload', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = takeOverJobs(service)
  const { storage } = context
  const session = await aFullUpload(service)
  const upload = await uploadInStorage(service, session)
  await storage.completeUpload(upload, PLAN, [])
  assert.equal((await cancel(service.baseUrl, session)).status, 200)
  await runJobs(context)
  assert.equal(await storage.findObject(session.id), undefined)
  assert.deepEqual(await context.database.listRemovals(10), [])
})

test('no completion makes an object of an upload whose removal is done', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = takeOverJobs(service)
  const { storage } = context
  for (let round = 0; round < 10; round += 1) {
    const session = await aFullUpload(service)
    const upload = await uploadInStorage(service, session)
    const { won } = await (await ownData(context)).cancelUpload(session.id)
    assert.ok(won)
    // As by an instance that has read the upload before it was cancelled.
    const late = storage.completeUpload(upload, PLAN, []).catch(() => undefined)
    await runJobs(context)
    await late
    await storage.abortUpload(upload)
    assert.equal(await storage.findObject(session.id), undefined)
  }
  assert.deepEqual(await context.database.listRemovals(10), [])
})

test('an upload that expires though its parts are listed becomes ready if its object is whole', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = takeOverJobs(service)
  const session = await aFullUpload(service)
  const { storage } = context
  const upload = await uploadInStorage(service, session)
  const parts = await storage.listParts(upload)
  await storage.completeUpload(upload, PLAN, [])
  await moveExpiryToPast(context, [session.id])
  // As OpenStack Swift does.
  const listing = { ...storage, listParts: async () => parts }
  await runJobs(withoutRetention({ ...context, storage: listing }))
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('the search for orphans spares uploads that an object may have been made of', async (t) => {
  const service = await aService(t, SETTINGS)
  const { context } = service
  const data = await ownData(context)
  const named = await aFullUpload(service)
  const { storageId = '' } = (await data.findUpload(named.id)) ?? {}
  await data.recordStorageId(named.id, { previous: storageId, storageId })
  await complete(service.baseUrl, named)
  const lost = { key: newUuid(), id: newUuid() }
  lost.id = await context.storage.createUpload({ ...lost, mime: 'text/plain' })
  const range = { number: 1, start: 0, end: 5 }
  const { urls } = await context.storage.signParts(lost, [range], new Date(Date.now() + 60_000))
  await putPart(urls[0] ?? '', someBytes(5))
  await context.storage.completeUpload(lost, { size: 5, chunkSize: 10, count: 1 }, [])
  const aborted: string[] = []
  const openedAt = new Date(0)
  const storage = {
    ...context.storage,
    // As OpenStack Swift does.
    async *listUploads() {
      yield { key: named.id, id: storageId, openedAt }
      yield { key: named.id, id: 'another', openedAt }
      yield { ...lost, openedAt }
      yield { key: newUuid(), id: 'orphan', openedAt }
    },
    async abortUpload(upload: { id: string }) {
      aborted.push(upload.id)
    },
  }
  await removeOrphanedUploads({ ...context, storage }, NEVER)
  assert.deepEqual(aborted, ['another', 'orphan'])
})

test('two instances, one of which dies, leave no completion waiting that was not begun', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = takeOverJobs(service)
  const data = await ownData(context)
  const ids: string[] = []
  for (let index = 0; index < 12; index += 1) {
    const session = await aFullUpload(service)
    await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
    ids.push(session.id)
  }
  // It takes some and never gets to the end of the first ones.
  const gate = Promise.withResolvers<never>()
  gate.promise.catch(() => {})
  const hanging = { ...context.storage, completeUpload: () => gate.promise }
  const later = withClockAhead(context, 1)
  const dead = finishCompletions({ ...later, storage: hanging }, NEVER)
  const account = forAccount(context, (await context.database.findAccount('default'))?.id ?? '')
  await runJobs(later)
  const statuses = await Promise.all(
    ids.map(async (id) => (await account.data.findUpload(id))?.asset.status),
  )
  assert.equal(statuses.filter((status) => status === 'ready').length, 8)
  gate.reject(new Error('it dies'))
  await dead
})
