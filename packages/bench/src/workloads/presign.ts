import { createHmac } from 'node:crypto'
import { S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { presignParts } from '../../../server/src/storage/s3/presign.ts'
import type { Workload } from '../workload.ts'

const PARTS = 10_000
const LENGTH = 100_000_000
const UPLOAD = 'VXBsb2FkIElEIGZvciA2aWWpbmcncyBteS1tb3ZpZS5tMnRzIHVwbG9hZA'
const KEY = '01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d'
const credentials = { accessKeyId: 'access', secretAccessKey: 'secret' }

/** The addresses of a file of 1 TB. */
export function presign(): Workload {
  const region = 'eu-central-1'
  const client = new S3Client({ region, credentials, requestChecksumCalculation: 'WHEN_REQUIRED' })
  const numbers = Array.from({ length: PARTS }, (_, index) => index + 1)
  return {
    title: `${PARTS} signed part addresses`,
    contenders: [
      {
        name: 'Stowage',
        async run() {
          presignParts(
            { origin: `https://bucket.s3.${region}.amazonaws.com`, path: `/${KEY}` },
            { credentials, region, now: new Date(), expiresInSeconds: 43_200 },
            { uploadId: UPLOAD, parts: numbers.map((number) => ({ number, length: LENGTH })) },
          )
        },
      },
      {
        name: 'AWS SDK presigner',
        async run() {
          for (const number of numbers) {
            const part = { Bucket: 'bucket', Key: KEY, UploadId: UPLOAD, PartNumber: number }
            const command = new UploadPartCommand({ ...part, ContentLength: LENGTH })
            const signableHeaders = new Set(['content-length', 'host'])
            await getSignedUrl(client, command, { expiresIn: 43_200, signableHeaders })
          }
        },
      },
      {
        name: 'one HMAC an address',
        async run() {
          for (const number of numbers) {
            createHmac('sha256', credentials.secretAccessKey).update(`${number}`).digest('hex')
          }
        },
      },
    ],
  }
}
