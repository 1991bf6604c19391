import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { flipBit } from '@stowage/testing/engines/flip-bit'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  API,
  callUrl,
  complete,
  download,
  putParts,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { JOBS, takeOverJobs } from '../../support/run-jobs.ts'

const SETTINGS = { STOWAGE_CHECKSUMS: 'on', ...(!isOnS3 && { STOWAGE_CHUNK_SIZE: '1000' }) }
const BYTES = someBytes(2500)
const WEEK_MS = 7 * 86_400_000

async function aQuietService(t: TestContext) {
  const service = await aService(t, SETTINGS)
  return { service, own: takeOverJobs(service) }
}

const readAsset = async ({ call }: TestService, id: string) =>
  (await call('GET', `${API}/assets/${id}`)).body.data

const tryDownload = ({ baseUrl }: TestService, id: string) =>
  callUrl(`${baseUrl}${API}/assets/${id}/download`)

test('the scrub finds a flipped bit, and only in the file that has it', async (t) => {
  const { service, own } = await aQuietService(t)
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

test('a bit that flips before the file is read for the first time is detected by the declared digest', async (t) => {
  const { service, own } = await aQuietService(t)
  const sha256 = createHash('sha256').update(BYTES).digest('hex')
  const file = { name: 'a.bin', size: BYTES.length, sha256 }
  const { body } = await service.call('POST', `${API}/assets/signed`, file)
  await complete(service.baseUrl, body, await putParts(body, BYTES))
  await flipBit(service, { key: body.id, bytes: BYTES.length })
  await JOBS.computeChecksums(own)
  assert.equal((await tryDownload(service, body.id)).body.code, 'damaged')
})

test('a flipped bit in a verified file is detected by a download', async (t) => {
  const { service, own } = await aQuietService(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await JOBS.computeChecksums(own)
  const { checksum } = await readAsset(service, id)
  await flipBit(service, { key: id, bytes: BYTES.length })
  if (isOnS3) {
    // The storage sends the bytes itself. Clients compare them with the digest of the asset.
    const bytes = await download(service.baseUrl, id)
    assert.notEqual(createHash('sha256').update(bytes).digest('hex'), checksum.sha256)
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
