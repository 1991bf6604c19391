import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { JOBS } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import {
  API,
  download,
  downloadUrl,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import {
  aServiceWithoutJobs,
  readAsset,
  sha256Of,
  tryDownload,
  uploadDeclared,
} from '../support/integrity.ts'

const BYTES = someBytes(2500)
const DIGEST = `sha-256=:${createHash('sha256').update(BYTES).digest('base64')}:`

test('a download has the digest of the whole file, once it is known', async (t) => {
  const { baseUrl, context } = await aService(t, { STOWAGE_CHUNK_SIZE: '1000' })
  const { id } = await uploadFile(baseUrl, { bytes: BYTES })
  const digestOf = async (init: RequestInit = {}) =>
    (await fetch(await downloadUrl(baseUrl, id), init)).headers.get('repr-digest')
  assert.equal(await digestOf(), null)
  const settings = { ...context.settings, checksums: true }
  await JOBS.computeChecksums({ ...context, settings })
  assert.equal(await digestOf(), DIGEST)
  assert.equal(await digestOf({ method: 'HEAD' }), DIGEST)
  // RFC 9530: it is the digest of the whole file, not of the range.
  assert.equal(await digestOf({ headers: { Range: 'bytes=10-19' } }), DIGEST)
})

test('the storage reports that it is busy while a part is sent, even in its own thread', async (t) => {
  const service = await aService(t, {}, undefined, { ownThread: true })
  const { storage } = service.context
  const [part] = (await requestSession(service.baseUrl, { bytes: BYTES })).urls
  assert.equal(storage.isBusy(), false)
  const sending = request(part?.url ?? '', {
    method: 'PUT',
    headers: { 'Content-Length': BYTES.length },
  })
  sending.write(BYTES.subarray(0, 1000))
  await until('the transfer has started', () => storage.isBusy())
  sending.end(BYTES.subarray(1000))
  const [response] = await once(sending, 'response')
  assert.equal(response.statusCode, 200)
  response.resume()
  await until('the transfer has ended', () => !storage.isBusy())
})

test('a small file is compared with its declared digest before its completion responds', async (t) => {
  const { service } = await aServiceWithoutJobs(t)
  const small = someBytes(900)
  const id = await uploadDeclared(service, small, sha256Of(small))
  assert.deepEqual(await download(service.baseUrl, id), small)
  const { checksum, damaged } = await readAsset(service, id)
  assert.deepEqual([checksum.sha256, damaged], [sha256Of(small), false])
  const wrong = await uploadDeclared(service, small, sha256Of(BYTES))
  const refused = await tryDownload(service, wrong)
  assert.deepEqual([refused.status, refused.body.code], [409, 'damaged'])
  const { body } = await service.call('GET', `${API}/events`)
  assert.deepEqual(
    body.data
      .map(({ type }: { type: string }) => type)
      .filter((type: string) => /ready|damaged/.test(type)),
    ['asset.ready', 'asset.ready', 'asset.damaged'],
  )
  // Nothing waits for the digest of another file, so the job reads it.
  const plain = await uploadFile(service.baseUrl, { bytes: small })
  assert.equal((await readAsset(service, plain.id)).checksum, null)
})
