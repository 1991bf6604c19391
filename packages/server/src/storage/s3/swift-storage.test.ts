import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { aBucket, openBucket } from '@stowage/testing/engines/s3-server'
import { listSegments, missingForSwift, startSwift } from '@stowage/testing/engines/swift'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { testStorageContract } from '../storage.contract.ts'

/* Runs on own-engines. */
/* Runs in its own process: it starts Swift. */

const CHUNK = 100_000

const missing = await missingForSwift()
if (missing !== undefined) {
  test('Swift', (t) => skipUnlessCi(t, missing))
} else {
  const gateway = await startSwift()
  after(() => gateway.close())

  // All tests of the contract share a bucket, because Swift takes long to create one.
  const bucket = await aBucket(gateway)
  testStorageContract('swift', async (t) => {
    const storage = await openBucket(gateway, `some/prefix-${randomUUID()}/`, bucket)
    cleanUp(t, () => storage.close())
    return { storage, chunkSize: CHUNK, latePart: 'breaks the object' }
  })

  test('swift: a part in transfer during the abort stays in the storage, but S3 does not list it', async (t) => {
    const storage = await openBucket(gateway)
    cleanUp(t, () => storage.close())
    const key = randomUUID()
    const upload = { key, id: await storage.createUpload({ key, id: '', mime: 'text/plain' }) }
    const range = { number: 1, start: 0, end: 10 }
    const {
      urls: [url = ''],
    } = await storage.signParts(upload, [range], new Date(Date.now() + 60_000))
    const headers = { 'Content-Length': 10, Expect: '100-continue' }
    const put = request(url, { method: 'PUT', headers })
    put.flushHeaders()
    // After `100 Continue`, Swift accepts the part without checking the upload again.
    await once(put, 'continue')
    await storage.abortUpload(upload)
    put.end('0123456789')
    const [response] = await once(put, 'response')
    response.resume()
    assert.equal(response.statusCode, 200)
    await storage.abortUpload(upload)
    assert.equal(await storage.listParts(upload), undefined)
    assert.deepEqual(await Array.fromAsync(storage.listUploads()), [])
    assert.deepEqual(await listSegments(gateway, storage), [`${key}/${upload.id}/1`])
  })
}
