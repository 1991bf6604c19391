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
import { requestUpload } from '../../src/operations/uploads/request.ts'

const CHUNK_SIZE = 10
const SIZE = 25

/** A service with an upload in every state that a bad request could damage. */
export interface UploadFixture {
  service: TestService
  accountId: string
  bytes: Buffer
  /** Three parts, all of them stored; not completed. */
  open: UploadSession
  /** The parts of `open`, in order. */
  parts: CompletedPart[]
  /** Three parts, none of them stored. */
  empty: UploadSession
  cancelled: UploadSession
  ready: Asset
  /** An open upload of another account. */
  otherAccountsUpload: { id: string; uploadId: string }
}

export async function anUploadFixture(t: TestContext): Promise<UploadFixture> {
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
    otherAccountsUpload: await anUploadOfAnotherAccount(service),
  }
}

async function anUploadOfAnotherAccount({ context }: TestService) {
  const account = await context.database.ensureAccount({
    id: context.newId(),
    name: 'another account',
    planName: 'small',
    planStorage: 1000,
    createdAt: context.clock(),
  })
  const file = { filename: 'other-account.bin', size: SIZE }
  const { upload } = await requestUpload(forAccount(context, account.id), { file, startedBy: null })
  return { id: upload.asset.id, uploadId: upload.id }
}

/** The usage, uploads, objects and parts. A refused request must not change them. */
export async function readState({ service, accountId, ...fixture }: UploadFixture) {
  const { database, storage } = service.context
  const ids = [fixture.open.id, fixture.empty.id, fixture.cancelled.id, fixture.ready.id]
  const [usage, ...uploads] = await Promise.all([
    database.compareUsage(),
    ...ids.map((id) => database.of(accountId).findUpload(id)),
  ])
  const inStorage = await Array.fromAsync(storage.listUploads())
  const sorted = inStorage.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    usage,
    uploads,
    objects: await service.backdoor.readObjects(),
    // If a bad request opened the upload of a file of 0 bytes, the usage would not show it.
    inStorage: sorted.map(({ id }) => id),
    parts: await Promise.all(sorted.map((upload) => storage.listParts(upload))),
  }
}

/** The final proof that nothing was damaged: the open upload can be completed and downloaded. */
export async function finishOpenUpload({
  service,
  open,
  parts,
  bytes,
}: UploadFixture): Promise<void> {
  const response = await complete(service.baseUrl, open, parts)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  assert.deepEqual(await download(service.baseUrl, open.id), bytes)
}
