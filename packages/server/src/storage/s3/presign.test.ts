import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { encodePath, presignCreate, presignGet, presignParts } from './presign.ts'

const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
/** A key that is a valid path: no empty segments, no dot segments. */
const keys = fc
  .array(
    texts.map((text) => text.replaceAll(/[/\\]/g, '_')).filter((text) => !/^\.+$/.test(text)),
    { minLength: 1, maxLength: 4 },
  )
  .map((steps) => steps.join('/'))
  .filter((key) => key.isWellFormed())

const cases = fc.record({
  key: keys,
  uploadId: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 60 }),
  number: fc.integer({ min: 1, max: 10_000 }),
  length: fc.nat(5_000_000_000),
  accessKeyId: fc.stringMatching(/^[A-Z0-9]{16,20}$/),
  secretAccessKey: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }),
  sessionToken: fc.option(fc.base64String({ minLength: 4, maxLength: 80 }), { nil: undefined }),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'auto'),
  now: fc.date({ min: new Date('2020-01-01'), max: new Date('2050-01-01'), noInvalidDate: true }),
  expiresInSeconds: fc.integer({ min: 1, max: 604_800 }),
  pathStyle: fc.boolean(),
})

test('part URLs are identical to those of the SDK’s presigner', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (facts) => {
      const { key, uploadId, number, length, region, now, expiresInSeconds, pathStyle } = facts
      const credentials = {
        accessKeyId: facts.accessKeyId,
        secretAccessKey: facts.secretAccessKey,
        ...(facts.sessionToken !== undefined && { sessionToken: facts.sessionToken }),
      }
      const client = new S3Client({
        region,
        credentials,
        forcePathStyle: pathStyle,
        endpoint: 'https://storage.example:8443',
        requestChecksumCalculation: 'WHEN_REQUIRED',
      })
      const expected = await getSignedUrl(
        client,
        new UploadPartCommand({
          Bucket: 'bucket',
          Key: key,
          UploadId: uploadId,
          PartNumber: number,
          ContentLength: length,
        }),
        {
          expiresIn: expiresInSeconds,
          signingDate: now,
          signableHeaders: new Set(['content-length', 'host']),
        },
      )
      const object = pathStyle
        ? { origin: 'https://storage.example:8443', path: `/bucket/${encodePath(key)}` }
        : { origin: 'https://bucket.storage.example:8443', path: `/${encodePath(key)}` }
      const signing = { credentials, region, now, expiresInSeconds }
      const parts = [{ number, length }]
      assert.deepEqual(presignParts(object, signing, { uploadId, parts }), [expected])
    }),
    { numRuns: 300 },
  )
})

test('download URLs are identical to those of the SDK’s presigner', async () => {
  await fc.assert(
    fc.asyncProperty(cases, texts, async ({ key, region, now, accessKeyId }, name) => {
      const credentials = { accessKeyId, secretAccessKey: 'secret' }
      const client = new S3Client({
        region,
        credentials,
        endpoint: 'https://storage.example',
        forcePathStyle: true,
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
      })
      const disposition = `attachment; filename="${name}"`
      const expected = await getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket: 'bucket',
          Key: key,
          ResponseContentDisposition: disposition,
          ResponseContentType: 'text/plain; charset=utf-8',
        }),
        { expiresIn: 3600, signingDate: now },
      )
      const object = { origin: 'https://storage.example', path: `/bucket/${encodePath(key)}` }
      const signing = { credentials, region, now, expiresInSeconds: 3600 }
      const response = { disposition, type: 'text/plain; charset=utf-8' }
      assert.equal(presignGet(object, signing, response), expected)
    }),
    { numRuns: 100 },
  )
})

test('the URL that opens an upload is identical to that of the SDK’s presigner', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ key, region, now, accessKeyId }) => {
      const credentials = { accessKeyId, secretAccessKey: 'secret' }
      const endpoint = 'https://storage.example'
      const client = new S3Client({ region, credentials, endpoint, forcePathStyle: true })
      const command = new CreateMultipartUploadCommand({ Bucket: 'bucket', Key: key })
      const expected = await getSignedUrl(client, command, { expiresIn: 900, signingDate: now })
      const object = { origin: endpoint, path: `/bucket/${encodePath(key)}` }
      const signing = { credentials, region, now, expiresInSeconds: 900 }
      assert.equal(presignCreate(object, signing), expected)
    }),
    { numRuns: 100 },
  )
})

test('a URL is signed with the key of its own day, region and secret, whatever was signed before', async () => {
  const first = {
    secretAccessKey: 'one',
    region: 'us-east-1',
    now: new Date('2026-11-18T12:00:00Z'),
  }
  const others = [
    { ...first, now: new Date('2026-11-19T12:00:00Z') },
    { ...first, region: 'eu-central-1' },
    { ...first, secretAccessKey: 'two' },
  ]
  const object = { origin: 'https://storage.example', path: '/bucket/key' }
  for (const { secretAccessKey, region, now } of others.flatMap((other) => [first, other])) {
    const credentials = { accessKeyId: 'AKIA', secretAccessKey }
    const endpoint = object.origin
    const client = new S3Client({ region, credentials, endpoint, forcePathStyle: true })
    const command = new CreateMultipartUploadCommand({ Bucket: 'bucket', Key: 'key' })
    const expected = await getSignedUrl(client, command, { expiresIn: 60, signingDate: now })
    const signing = { credentials, region, now, expiresInSeconds: 60 }
    assert.equal(presignCreate(object, signing), expected)
  }
})
