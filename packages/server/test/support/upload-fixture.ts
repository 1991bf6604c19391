import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Asset, CompletedPart, UploadSession } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  cancel,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { forAccount } from '../../src/operations/context.ts'
import { requestUpload } from '../../src/operations/uploads/request-upload.ts'

const CHUNK_SIZE = 10
const SIZE = 25

/** A service with something in every state that a bad request could damage. */
export interface Scene {
  service: TestService
  accountId: string
  bytes: Buffer
  /** Three parts, all of them stored, not completed. */
  open: UploadSession
  /** Of `open`, by number. */
  parts: CompletedPart[]
  /** Three parts, none of them sent. */
  empty: UploadSession
  cancelled: UploadSession
  ready: Asset
  /** An open upload of another account. */
  foreign: { id: string; uploadId: string }
}

export async function aScene(t: TestContext): Promise<Scene> {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: `${CHUNK_SIZE}` })
  const { baseUrl } = service
  const [own] = await service.context.database.compareUsage()
  assert.ok(own)
  const bytes = someBytes(SIZE)
  const open = await requestSession(baseUrl, { bytes, name: 'open.bin' })
  const parts = await putParts(open, bytes)
  const cancelled = await requestSession(baseUrl, { bytes, name: 'cancelled.bin' })
  await putParts(cancelled, bytes)
  await cancel(baseUrl, cancelled)
  return {
    service,
    accountId: own.accountId,
    bytes,
    open,
    parts: parts.toSorted((a, b) => a.PartNumber - b.PartNumber),
    empty: await requestSession(baseUrl, { bytes, name: 'empty.bin' }),
    cancelled,
    ready: await uploadFile(baseUrl, { bytes, name: 'ready.bin' }),
    foreign: await aForeignUpload(service),
  }
}

async function aForeignUpload({ context }: TestService) {
  const account = await context.database.ensureAccount({
    id: context.newId(),
    name: 'somebody else',
    planName: 'small',
    planStorage: 1000,
    createdAt: context.clock(),
  })
  const file = { filename: 'foreign.bin', size: SIZE }
  const { upload } = await requestUpload(forAccount(context, account.id), { file })
  return { id: upload.asset.id, uploadId: upload.id }
}

/** Everything that a refused request must leave as it was, in the database and in the storage. */
export async function readState({ service, accountId, ...scene }: Scene) {
  const { database, storage } = service.context
  const ids = [scene.open.id, scene.empty.id, scene.cancelled.id, scene.ready.id]
  const [books, ...uploads] = await Promise.all([
    database.compareUsage(),
    ...ids.map((id) => database.of(accountId).findUpload(id)),
  ])
  const inStorage = await Array.fromAsync(storage.listUploads())
  const sorted = inStorage.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    books,
    uploads,
    objects: await service.backdoor.readObjects(),
    // A file of no bytes is in no book, but its upload is open in the storage.
    inStorage: sorted.map(({ id }) => id),
    parts: await Promise.all(sorted.map((upload) => storage.listParts(upload))),
  }
}

/** The last word on whether nothing was damaged: the open upload becomes its file. */
export async function finishOpenUpload({ service, open, parts, bytes }: Scene): Promise<void> {
  const answer = await complete(service.baseUrl, open, parts)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(await download(service.baseUrl, open.id), bytes)
}
