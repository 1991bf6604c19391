import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flipBit, isOnS3 } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { JOBS } from '@stowage/testing/service/jobs'
import { download, someBytes, uploadFile } from '@stowage/testing/service/upload'
import {
  aServiceWithoutJobs,
  readAsset,
  sha256Of,
  tryDownload,
  uploadDeclared,
} from '../../support/integrity.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const BYTES = someBytes(2500)
const WEEK_MS = 7 * 86_400_000

test('the scrub finds a flipped bit, and only in the file that has it', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  const other = await uploadFile(service.baseUrl, { bytes: BYTES })
  await JOBS.computeChecksums(own)
  assert.equal((await readAsset(service, id)).damaged, false)
  await flipBit(service, { key: id, bytes: BYTES.length })
  await JOBS.scrubFiles({ ...own, settings: { ...own.settings, scrubEveryMs: WEEK_MS } })
  assert.equal((await readAsset(service, id)).damaged, true)
  assert.equal((await tryDownload(service, id)).body.code, 'damaged')
  assert.equal((await readAsset(service, other.id)).damaged, false)
  assert.deepEqual(await download(service.baseUrl, other.id), BYTES)
})

test('the declared digest detects a bit that flips before the file is read for the first time', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t)
  const id = await uploadDeclared(service, BYTES, sha256Of(BYTES))
  await flipBit(service, { key: id, bytes: BYTES.length })
  await JOBS.computeChecksums(own)
  assert.equal((await tryDownload(service, id)).body.code, 'damaged')
})

test('a flipped bit in a verified file is detected by a download', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await JOBS.computeChecksums(own)
  const { checksum } = await readAsset(service, id)
  await flipBit(service, { key: id, bytes: BYTES.length })
  if (isOnS3) {
    // The storage sends the bytes itself. Clients compare them with the digest of the asset.
    const bytes = await download(service.baseUrl, id)
    assert.notEqual(sha256Of(bytes), checksum.sha256)
    return
  }
  // The disk storage ends the connection, and the service refuses the next download with the reason.
  await assert.rejects(download(service.baseUrl, id))
  await until('the damage is recorded', async () => (await readAsset(service, id)).damaged)
  assert.equal((await tryDownload(service, id)).body.code, 'damaged')
  // After a scrub that finds the right bytes, the file is no longer damaged.
  await flipBit(service, { key: id, bytes: BYTES.length })
  await JOBS.scrubFiles(own)
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
})
