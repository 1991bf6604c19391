import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveUploadOpen } from '@stowage/testing/engines/leave-upload-open'
import { runJobs, withClockAhead } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { v7 as newUuid } from 'uuid'
import { replaceFile, startReplacement } from '../../test/support/versions.ts'
import { EngineUnavailable } from '../domain/errors.ts'
import type { Finding } from '../domain/finding.ts'
import { partPlan, partRanges } from '../domain/parts.ts'
import type { DoctorContext } from './doctor-context.ts'
import { reconcileUsage } from './reconcile-database.ts'
import { reconcileFiles } from './reconcile-files.ts'
import { reconcileUploads } from './reconcile-uploads.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const SETTINGS = { STOWAGE_CHUNK_SIZE: '10' }
const HOUR_MS = 3_600_000

async function reconcile(
  service: TestService,
  options: Partial<DoctorContext> = {},
): Promise<Finding[]> {
  const context: DoctorContext = {
    database: withClockAhead(service.context, 48).database,
    contents: service.context.storage,
    clock: () => new Date(),
    signedForMs: 12 * HOUR_MS,
    secretKey: undefined,
    repair: false,
    verify: false,
    onProgress: () => {},
    ...options,
  }
  const parts = [reconcileUsage(context), reconcileFiles(context), reconcileUploads(context)]
  const findings = await Promise.all(parts.map((part) => Array.fromAsync(part)))
  return findings.flat()
}

async function assertOk(service: TestService, options: Partial<DoctorContext> = {}): Promise<void> {
  const wrong = (await reconcile(service, options)).filter(({ status }) => status !== 'ok')
  assert.deepEqual(wrong, [])
}

/** The only finding that is not `ok`. */
async function onlyFinding(
  service: TestService,
  options: Partial<DoctorContext> = {},
): Promise<Finding> {
  const [finding, ...others] = (await reconcile(service, options)).filter(
    ({ status }) => status !== 'ok',
  )
  assert.ok(finding)
  assert.deepEqual(others, [])
  return finding
}

/** Stores an object of one byte without the service. */
async function putObject({ context }: TestService, key: string): Promise<void> {
  const { storage } = context
  const id = await storage.createUpload({ key, id: newUuid(), mime: 'text/plain' })
  const plan = partPlan(1, 10)
  const later = new Date(Date.now() + HOUR_MS)
  const {
    urls: [url = ''],
  } = await storage.signParts({ key, id }, partRanges(plan), later)
  assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 200)
  await storage.completeUpload({ key, id }, plan, [])
}

test('a service with ready, unfinished, cancelled and deleted assets has no problems', async (t) => {
  const service = await aService(t, SETTINGS)
  await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  await uploadFile(service.baseUrl, { bytes: someBytes(0) })
  const open = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putParts(open, someBytes(25))
  await cancel(service.baseUrl, await requestSession(service.baseUrl, { bytes: someBytes(5) }))
  const link = { filename: 'link', url: 'https://example.com' }
  assert.equal((await service.call('POST', `${API}/assets/store`, link)).status, 201)
  const deleted = await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  await service.call('DELETE', `${API}/assets/${deleted.id}`)
  await assertOk(service, { verify: true })
})

test('a file with older versions and an unfinished replacement has no problems', async (t) => {
  const service = await aService(t, SETTINGS)
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  for (const seed of [2, 3]) await replaceFile(service, id, { bytes: someBytes(25, seed) })
  await putParts(await startReplacement(service, id, { bytes: someBytes(5) }), someBytes(5))
  // The first version is no longer kept, but its object is removed later.
  assert.equal((await service.backdoor.readObjects()).length, 3)
  await assertOk(service, { verify: true, repair: true })
  assert.equal((await service.backdoor.readObjects()).length, 3)
})

test('a missing object of an older version is reported with the number of that version', async (t) => {
  const service = await aService(t, SETTINGS)
  const { id } = await uploadFile(service.baseUrl, { name: 'book.pdf', bytes: someBytes(25) })
  await replaceFile(service, id, { bytes: someBytes(30) })
  await service.context.storage.removeObject(id)
  const finding = await onlyFinding(service)
  assert.match(finding.message, /^files without an object in the storage: 1 of 2$/)
  assert.match(finding.items?.join() ?? '', new RegExp(`^${id} book.pdf \\(version 1\\) \\(`))
})

test('a file without its object is reported, and its asset is kept', async (t) => {
  const service = await aService(t, SETTINGS)
  const file = await uploadFile(service.baseUrl, { name: 'lost.zip', bytes: someBytes(25) })
  const other = await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  await service.context.storage.removeObject(file.id)
  for (const repair of [false, true]) {
    const finding = await onlyFinding(service, { repair })
    assert.deepEqual([finding.check, finding.status], ['files', 'error'])
    assert.match(finding.message, /^files without an object in the storage: 1 of 2$/)
    assert.match(
      finding.items?.join() ?? '',
      new RegExp(`^${file.id} lost.zip \\(.*${file.id}\\)$`),
    )
    assert.match(finding.remedy ?? '', /backup/)
  }
  assert.equal((await service.call('GET', `${API}/assets/${file.id}`)).status, 200)
  assert.deepEqual(await download(service.baseUrl, other.id), someBytes(25))
})

test('an object of the wrong size is reported', async (t) => {
  const service = await aService(t, SETTINGS)
  const file = await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  await service.context.storage.removeObject(file.id)
  await putObject(service, file.id)
  const finding = await onlyFinding(service)
  assert.match(finding.items?.[0] ?? '', /it has 1 bytes instead of 25/)
})

test('an upload that cannot be completed is reported, and removed with --repair', async (t) => {
  const service = await aService(t, SETTINGS)
  const { storage } = service.context
  const key = newUuid()
  await storage.createUpload({ key, id: newUuid(), mime: 'text/plain' })
  const wanted = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const finding = await onlyFinding(service)
  assert.deepEqual([finding.check, finding.status], ['uploads', 'error'])
  assert.match(finding.items?.join() ?? '', new RegExp(`${key} \\(no asset\\)$`))
  const { database } = service.context
  const recent = await onlyFinding(service, { database, repair: true })
  assert.deepEqual([recent.status, recent.items], ['note', finding.items])
  assert.equal((await onlyFinding(service, { repair: true })).status, 'fixed')
  await assertOk(service)
  const left = await Array.fromAsync(storage.listUploads())
  assert.deepEqual(
    left.map((upload) => upload.key),
    [wanted.id],
  )
})

test('an open upload whose file is already stored is reported, and closed with --repair', async (t) => {
  const service = await aService(t, SETTINGS)
  const { storage } = service.context
  const bytes = someBytes(25)
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  await leaveUploadOpen(storage, session.id, { bytes, plan: partPlan(25, 10) })
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  const finding = await onlyFinding(service)
  assert.deepEqual([finding.check, finding.status], ['uploads', 'error'])
  assert.match(finding.message, /whose files are already stored: 1; do not abort them/)
  assert.match(finding.items?.join() ?? '', new RegExp(`${session.id} \\(ready\\)$`))
  const closeUpload = async () => {
    throw new EngineUnavailable('storage', new Error('the storage refuses to copy it'))
  }
  const failed = await onlyFinding(service, { contents: { ...storage, closeUpload }, repair: true })
  assert.equal(failed.status, 'error')
  assert.match(failed.items?.join() ?? '', /: the storage refuses to copy it$/)
  assert.equal((await onlyFinding(service, { repair: true })).status, 'fixed')
  await assertOk(service, { verify: true })
  assert.deepEqual(await Array.fromAsync(storage.listUploads()), [])
})

test('the object of a deleted asset is reported, and removed with --repair', async (t) => {
  const service = await aService(t, SETTINGS)
  const file = await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  await service.call('DELETE', `${API}/assets/${file.id}?permanent=true`)
  await runJobs(service.context)
  await putObject(service, file.id)
  const finding = await onlyFinding(service)
  assert.match(finding.message, /deleted, cancelled or expired assets/)
  assert.equal((await onlyFinding(service, { repair: true })).status, 'fixed')
  await assertOk(service)
})

test('an object without an asset is reported, and kept even with --repair', async (t) => {
  const service = await aService(t, SETTINGS)
  const key = newUuid()
  await putObject(service, key)
  for (const repair of [false, true]) {
    const finding = await onlyFinding(service, { repair })
    assert.deepEqual(finding.items, [service.context.storage.describeObject(key)])
    assert.match(finding.message, /they are kept/)
  }
  assert.equal((await service.context.storage.findObject(key))?.size, 1)
})

test('--verify reports how much was read, even while it reads a single large file', async (t) => {
  const service = await aService(t, SETTINGS)
  await uploadFile(service.baseUrl, { bytes: someBytes(30) })
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(20) })
  await service.call('DELETE', `${API}/assets/${id}`)
  const reported: string[] = []
  let now = 0
  const clock = () => {
    now += 1000
    return new Date(now)
  }
  await reconcile(service, { verify: true, clock, onProgress: (text) => reported.push(text) })
  assert.equal(reported.at(-1), '2 files checked, 50 B of 50 B read')
  assert.ok(reported.includes('1 file checked, 10 B of 50 B read'), reported.join('\n'))
})
