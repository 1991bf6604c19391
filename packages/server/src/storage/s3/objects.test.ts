import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { findObject } from './objects.ts'
import { boundedSend, openClient } from './s3-client.ts'

/** Finds an object in storage that sends these responses in turn: a status, and an S3 error code in the body. */
async function findIn(t: TestContext, ...responses: [number, string?][]) {
  const endpoint = await anHttpServer(t, (request, response) => {
    const [status, code] = responses.shift() ?? [500]
    const isEmpty = request.method === 'HEAD' || code === undefined
    const size = status === 200 ? { 'Content-Length': '0', ETag: '"a"' } : {}
    response.writeHead(status, size).end(isEmpty ? '' : `<Error><Code>${code}</Code></Error>`)
  })
  const client = openClient(
    {
      bucket: 'files',
      prefix: '',
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
    },
    { credentials: { accessKeyId: 'anyone', secretAccessKey: 'any secret' }, maxAttempts: 1 },
  )
  cleanUp(t, () => client.destroy())
  return findObject(boundedSend(client), { Bucket: 'files', Key: 'a' })
}

test('an object is missing if the storage responds with NoSuchKey', async (t) => {
  assert.equal(await findIn(t, [404], [404, 'NoSuchKey']), undefined)
})

test('a missing bucket is an error, not a missing object', async (t) => {
  await assert.rejects(findIn(t, [404], [404, 'NoSuchBucket']), { name: 'NoSuchBucket' })
})

test('a 404 without an S3 error code is an error, not a missing object', async (t) => {
  await assert.rejects(findIn(t, [404], [404]))
})

test('an empty object is found even if the first HEAD does not find it', async (t) => {
  assert.deepEqual(await findIn(t, [404], [416, 'InvalidRange'], [200]), { size: 0 })
})
