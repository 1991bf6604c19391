import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { boundedSend } from './bounded-send.ts'
import { findObject } from './find-object.ts'
import { openClient } from './s3-client.ts'

/** A store that answers each request in turn with a status, and a code of S3 in the body. */
async function findIn(t: TestContext, ...answers: [number, string?][]) {
  const store = createServer((request, response) => {
    const [status, code] = answers.shift() ?? [500]
    const isBare = request.method === 'HEAD' || code === undefined
    const size = status === 200 ? { 'Content-Length': '0', ETag: '"a"' } : {}
    response.writeHead(status, size).end(isBare ? '' : `<Error><Code>${code}</Code></Error>`)
  }).listen(0, '127.0.0.1')
  await once(store, 'listening')
  cleanUp(t, () => void store.close())
  const client = openClient(
    {
      bucket: 'files',
      prefix: '',
      endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
      region: 'us-east-1',
      pathStyle: true,
    },
    { credentials: { accessKeyId: 'anyone', secretAccessKey: 'any secret' }, maxAttempts: 1 },
  )
  cleanUp(t, () => client.destroy())
  return findObject(boundedSend(client), { Bucket: 'files', Key: 'a' })
}

test('an object is missing when the store says so by its code', async (t) => {
  assert.equal(await findIn(t, [404], [404, 'NoSuchKey']), undefined)
})

test('a missing bucket is not taken for a missing object', async (t) => {
  await assert.rejects(findIn(t, [404], [404, 'NoSuchBucket']), { name: 'NoSuchBucket' })
})

test('a 404 that is not from the store is not taken for a missing object', async (t) => {
  await assert.rejects(findIn(t, [404], [404]))
})

test('an empty object that HEAD does not find at first is found', async (t) => {
  assert.deepEqual(await findIn(t, [404], [416, 'InvalidRange'], [200]), { size: 0 })
})
