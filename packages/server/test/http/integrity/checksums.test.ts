import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { changeObject, isOnS3 } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { JOBS, NEVER } from '@stowage/testing/service/jobs'
import { aDeployment, aService, type TestService } from '@stowage/testing/service/service'
import {
  API,
  callUrl,
  complete,
  download,
  putParts,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { createChecksumJobs } from '../../../src/jobs/checksums.ts'
import {
  aServiceWithoutJobs,
  CHECKSUM_SETTINGS,
  readAsset,
  sha256Of,
  tryDownload,
  uploadDeclared,
} from '../../support/integrity.ts'
import { replaceFile, restore, versionsOf } from '../../support/versions.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const BYTES = someBytes(2500)
const OTHER = someBytes(2500, 2)

test('the digest of each version of a file is computed in the background', async (t) => {
  const { service, computeChecksums } = await aServiceWithoutJobs(t)
  const asset = await uploadFile(service.baseUrl, { bytes: BYTES })
  assert.equal(asset.checksum, null)
  assert.equal(asset.damaged, false)
  const empty = await uploadFile(service.baseUrl, { bytes: someBytes(0) })
  await computeChecksums()
  const { checksum } = await readAsset(service, asset.id)
  assert.equal(checksum.sha256, sha256Of(BYTES))
  assert.ok(Math.abs(Date.parse(checksum.verified_at) - Date.now()) < 60_000)
  assert.equal((await readAsset(service, empty.id)).checksum.sha256, sha256Of(someBytes(0)))
  await replaceFile(service, asset.id, { bytes: OTHER })
  assert.equal((await readAsset(service, asset.id)).checksum, null)
  await computeChecksums()
  const versions = await versionsOf(service, asset.id)
  assert.deepEqual(
    versions.map((version) => version.checksum?.sha256),
    [sha256Of(OTHER), sha256Of(BYTES)],
  )
})

test('the service computes the digest automatically, soon after the completion', async (t) => {
  const service = await aService(t, CHECKSUM_SETTINGS)
  assert.equal((await service.call('GET', `${API}/account`)).body.data.checksums, true)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await until('the digest is shown', async () => (await readAsset(service, id)).checksum !== null)
})

test('without checksums, nothing is read and a declared digest does not prevent downloads', async (t) => {
  const service = await aService(t, { ...CHECKSUM_SETTINGS, STOWAGE_CHECKSUMS: 'off' })
  assert.equal((await service.call('GET', `${API}/account`)).body.data.checksums, false)
  const id = await uploadDeclared(service, BYTES, sha256Of(BYTES))
  await JOBS.computeChecksums(service.context)
  assert.equal((await readAsset(service, id)).checksum, null)
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
})

test('a file with the declared digest can be downloaded as soon as the digest is compared', async (t) => {
  const service = await aService(t, CHECKSUM_SETTINGS)
  const id = await uploadDeclared(service, BYTES, sha256Of(BYTES).toUpperCase())
  // The download waits for the job of the service.
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
  assert.equal((await readAsset(service, id)).checksum.sha256, sha256Of(BYTES))
})

test('a completion wakes the jobs that compare and compute digests', async (t) => {
  const service = await aService(t, CHECKSUM_SETTINGS)
  const isVerified = async (id: string) => (await readAsset(service, id)).checksum !== null
  const first = await uploadDeclared(service, BYTES, sha256Of(BYTES))
  await until('the first file is compared', () => isVerified(first))
  const declared = await uploadDeclared(service, OTHER, sha256Of(OTHER))
  // Sooner than the jobs look for files without being woken.
  await until('the next file is compared', () => isVerified(declared), 4_000)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await until('the digest of another file is computed', () => isVerified(id), 4_000)
})

test('a file with a wrong declared digest can never be downloaded', async (t) => {
  const { service, computeChecksums } = await aServiceWithoutJobs(t)
  const id = await uploadDeclared(service, BYTES, sha256Of(OTHER))
  // The digest has not been compared yet.
  const early = await tryDownload(service, id)
  assert.equal(early.status, 409)
  assert.equal(early.body.code, 'verifying')
  assert.ok(Number(early.headers.get('retry-after')) > 0)
  const waiting = tryDownload(service, id)
  await computeChecksums()
  for (const refused of [await waiting, await tryDownload(service, id)]) {
    assert.equal(refused.status, 409)
    assert.equal(refused.body.code, 'damaged')
  }
  const asset = await readAsset(service, id)
  assert.deepEqual([asset.damaged, asset.checksum], [true, null])
  const { body } = await service.call('GET', `${API}/assets`)
  assert.equal(body.data[0].damaged, true)
  const address = await service.call('GET', `${API}/assets/${id}/address`)
  assert.equal(address.body.code, 'damaged')
  // The file can be replaced. The damaged version stays damaged.
  await replaceFile(service, id, { bytes: OTHER })
  assert.deepEqual(await download(service.baseUrl, id), OTHER)
  const old = await callUrl(`${service.baseUrl}${API}/assets/${id}/versions/1/download`)
  assert.equal(old.body.code, 'damaged')
  // Even as the current version, it does not replace the bytes that downloads get.
  assert.equal((await restore(service, id, 1)).status, 200)
  assert.equal((await readAsset(service, id)).damaged, true)
  assert.deepEqual(await download(service.baseUrl, id), OTHER)
})

/** Replaces a file by bytes with a declared digest. */
async function replaceDeclared(service: TestService, id: string, bytes: Buffer, sha256: string) {
  const file = { name: 'new.txt', mime: 'text/plain', size: bytes.length, sha256 }
  const { body } = await service.call('POST', `${API}/assets/${id}/signed`, file)
  const response = await complete(service.baseUrl, body, await putParts(body, bytes))
  assert.equal(response.status, 200)
  return response.body.data
}

/** The bytes and headers that a download gets now. */
async function downloadNow({ baseUrl }: TestService, id: string) {
  const response = await fetch(`${baseUrl}${API}/assets/${id}/download`)
  assert.equal(response.status, 200)
  return {
    bytes: Buffer.from(await response.arrayBuffer()),
    type: response.headers.get('content-type'),
    isOld: response.headers.get('content-disposition')?.includes('old.bin'),
    digest: response.headers.get('repr-digest') ?? (isOnS3 ? 'none on S3' : null),
  }
}

function reprDigest(bytes: Buffer): string {
  if (isOnS3) return 'none on S3'
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
}

test('while the new version of a file is compared, downloads get the previous version', async (t) => {
  const { service, computeChecksums } = await aServiceWithoutJobs(t, { STOWAGE_KEEP_VERSIONS: '0' })
  const { id } = await uploadFile(service.baseUrl, { name: 'old.bin', bytes: BYTES })
  await computeChecksums()
  const old = {
    ...{ bytes: BYTES, type: 'application/octet-stream', isOld: true },
    digest: reprDigest(BYTES),
  }
  const replaced = await replaceDeclared(service, id, OTHER, sha256Of(OTHER))
  assert.deepEqual([replaced.version, replaced.filename], [2, 'new.txt'])
  const [now, address, early] = await Promise.all([
    downloadNow(service, id),
    service.call('GET', `${API}/assets/${id}/address`),
    callUrl(`${service.baseUrl}${API}/assets/${id}/versions/2/download`),
  ])
  assert.deepEqual(now, old)
  assert.deepEqual(Buffer.from(await (await fetch(address.body.data.url)).arrayBuffer()), BYTES)
  assert.equal(early.body.code, 'verifying')
  assert.ok(Number(early.headers.get('retry-after')) > 0)
  const versions = await versionsOf(service, id)
  assert.deepEqual(
    versions.map(({ version }) => version),
    [2, 1],
  )
  const stored = async () => (await service.call('GET', `${API}/account`)).body.data.stored
  assert.equal(await stored(), 5000)
  await computeChecksums()
  const { bytes, isOld, type, digest } = await downloadNow(service, id)
  assert.deepEqual([bytes, isOld, digest], [OTHER, false, reprDigest(OTHER)])
  assert.match(type ?? '', /^text\/plain/)
  // No version is kept that is not needed any more.
  assert.equal((await versionsOf(service, id)).length, 1)
  assert.equal(await stored(), 2500)
})

test('a new version that does not match its declared digest does not take the previous one away', async (t) => {
  const { service, computeChecksums } = await aServiceWithoutJobs(t, { STOWAGE_KEEP_VERSIONS: '0' })
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await replaceDeclared(service, id, OTHER, sha256Of(BYTES))
  await computeChecksums()
  assert.equal((await readAsset(service, id)).damaged, true)
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
  const wrong = await callUrl(`${service.baseUrl}${API}/assets/${id}/versions/2/download`)
  assert.equal(wrong.body.code, 'damaged')
  const { body } = await service.call('GET', `${API}/events?type=asset.damaged`)
  assert.deepEqual(
    body.data.map(({ data }: { data: { damaged_version: number } }) => data.damaged_version),
    [2],
  )
  const third = someBytes(3000, 3)
  await replaceDeclared(service, id, third, sha256Of(third))
  await computeChecksums()
  assert.equal((await readAsset(service, id)).damaged, false)
  assert.deepEqual(await download(service.baseUrl, id), third)
  assert.equal((await versionsOf(service, id)).length, 1)
})

test('files that could be downloaded before checksums were enabled stay downloadable', async (t) => {
  const deployment = await aDeployment(t, { isInMemory: true })
  const off = await aService(t, { ...CHECKSUM_SETTINGS, STOWAGE_CHECKSUMS: 'off' }, deployment)
  const id = await uploadDeclared(off, BYTES, sha256Of(BYTES))
  const wrong = await uploadDeclared(off, BYTES, sha256Of(OTHER))
  await off.close()
  const { service, computeChecksums } = await aServiceWithoutJobs(t, {}, deployment)
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
  const later = await uploadDeclared(service, BYTES, sha256Of(BYTES))
  const account = await service.context.database.findAccount('default')
  const asset = await service.context.database.of(account?.id ?? '').findAsset(later)
  assert.equal(asset?.integrity.isWithheld, true)
  await computeChecksums()
  for (const good of [id, later]) assert.deepEqual(await download(service.baseUrl, good), BYTES)
  assert.equal((await tryDownload(service, wrong)).body.code, 'damaged')
})

test('files that wait for their comparison are downloadable after checksums were disabled', async (t) => {
  const { service, computeChecksums, own } = await aServiceWithoutJobs(t)
  const id = await uploadDeclared(service, BYTES, sha256Of(OTHER))
  await JOBS.computeChecksums({ ...own, settings: { ...own.settings, checksums: false } })
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
  await own.database.postponeVerification(id, new Date(0))
  await computeChecksums()
  assert.equal((await tryDownload(service, id)).body.code, 'damaged')
})

/** On disk, the completion itself hashes files of one part up to 1 MB. */
const SMALL = someBytes(1_000_001)

test('a small file is compared while larger files are being read, at full speed', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t, { STOWAGE_CHUNK_SIZE: '100000000' })
  const bytes = someBytes(10_000_001)
  const large = [
    await uploadDeclared(service, bytes, sha256Of(bytes)),
    await uploadDeclared(service, bytes, sha256Of(bytes)),
  ]
  const small = await uploadDeclared(service, SMALL, sha256Of(SMALL))
  const stalled = Promise.withResolvers<void>()
  const started = new Set<string>()
  const storage = {
    ...own.storage,
    isBusy: () => assert.fail('a comparison does not depend on the transfers'),
    async *readPart(...[object, ...rest]: Parameters<typeof own.storage.readPart>) {
      started.add(object.key)
      if (large.includes(object.key)) await stalled.promise
      yield* own.storage.readPart(object, ...rest)
    },
  }
  const { compare } = createChecksumJobs({ ...own, storage })
  const [first, ...others] = compare
  const reading = others.map((job) => job({ ...own, storage }, NEVER))
  await until('the large files are read', async () => large.every((id) => started.has(id)))
  await first?.({ ...own, storage }, NEVER)
  assert.deepEqual(await download(service.baseUrl, small), SMALL)
  stalled.resolve()
  await Promise.all(reading)
  assert.equal((await readAsset(service, large[1] ?? '')).checksum.sha256, sha256Of(bytes))
})

test('a large file does not wait until all small files of its account are compared', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t, { STOWAGE_CHUNK_SIZE: '100000000' })
  const small = await uploadDeclared(service, SMALL, sha256Of(SMALL))
  const bytes = someBytes(10_000_001)
  const large = await uploadDeclared(service, bytes, sha256Of(bytes))
  const read: string[] = []
  const storage = {
    ...own.storage,
    readPart(...[object, ...rest]: Parameters<typeof own.storage.readPart>) {
      read.push(object.key)
      return own.storage.readPart(object, ...rest)
    },
  }
  const context = { ...own, storage }
  await createChecksumJobs(context).compare[1]?.(context, NEVER)
  assert.deepEqual([...new Set(read)], [large, small])
})

test('an invalid digest is refused, and so is a different digest with the same Idempotency-Key', async (t) => {
  const { call } = await aService(t, CHECKSUM_SETTINGS)
  const sign = (sha256: unknown, key?: string) =>
    call(
      'POST',
      `${API}/assets/signed`,
      { name: 'a', size: 1, sha256 },
      { ...(key && { 'Idempotency-Key': key }) },
    )
  for (const sha256 of ['', 'x'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), 1, null]) {
    const { status, body } = await sign(sha256)
    assert.equal(status, 422, String(sha256))
    assert.match(body.errors.sha256[0], /64 digits/)
  }
  assert.equal((await sign('a'.repeat(64), 'k')).status, 201)
  assert.equal((await sign('A'.repeat(64), 'k')).status, 201)
  assert.equal((await sign('b'.repeat(64), 'k')).body.code, 'idempotency_key_reused')
})

test('changed bytes in the storage are detected, and the restored file is no longer damaged', async (t) => {
  const { service, computeChecksums, own } = await aServiceWithoutJobs(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await computeChecksums()
  const scrub = () =>
    JOBS.scrubFiles({ ...own, settings: { ...own.settings, scrubEveryMs: 7 * 86_400_000 } })
  await changeObject(service, id, OTHER)
  await scrub()
  const damaged = await readAsset(service, id)
  assert.equal(damaged.damaged, true)
  assert.equal(damaged.checksum.sha256, sha256Of(BYTES))
  assert.equal((await tryDownload(service, id)).body.code, 'damaged')
  await changeObject(service, id, BYTES)
  await scrub()
  // The file is due again only after the interval.
  assert.equal((await readAsset(service, id)).damaged, true)
  await own.database.postponeVerification(id, new Date(0))
  await scrub()
  assert.equal((await readAsset(service, id)).damaged, false)
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
})

test('a file without its object is damaged, unless its asset was deleted meanwhile', async (t) => {
  const { service, computeChecksums, own } = await aServiceWithoutJobs(t)
  const lost = await uploadFile(service.baseUrl, { bytes: BYTES })
  await own.storage.removeObject(lost.id)
  const warnings: string[] = []
  own.warn = (message) => warnings.push(message)
  await computeChecksums()
  assert.equal((await readAsset(service, lost.id)).damaged, true)
  assert.match(warnings.join(), /is damaged/)
  warnings.length = 0
  const deleted = await uploadFile(service.baseUrl, { bytes: BYTES })
  await service.call('DELETE', `${API}/assets/${deleted.id}?permanent=true`)
  await own.storage.removeObject(deleted.id)
  await computeChecksums()
  assert.deepEqual(warnings, [])
})

test('a file that could not be verified during a storage outage is verified after the claim of the failed job has ended', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  const failing = {
    ...own.storage,
    // biome-ignore lint/correctness/useYield: it fails before the first byte
    async *readPart(): AsyncIterable<Uint8Array> {
      throw new Error('the storage is down')
    },
  }
  const warnings: string[] = []
  await JOBS.computeChecksums({
    ...own,
    storage: failing,
    warn: (message) => warnings.push(message),
  })
  assert.match(warnings.join(), /could not verify/)
  await JOBS.computeChecksums(own)
  assert.equal((await readAsset(service, id)).checksum, null)
  const clock = () => new Date(Date.now() + 61_000)
  await JOBS.computeChecksums({
    ...own,
    database: Object.create(own.database, { readClock: { value: async () => clock() } }),
  })
  assert.notEqual((await readAsset(service, id)).checksum, null)
})
