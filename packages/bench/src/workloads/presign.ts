import { createHmac } from 'node:crypto'
import { S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { presignParts } from '@stowage/server/src/storage/s3/presign'
import { timed } from '../measure.ts'
import type { Workload } from '../workload.ts'

const LENGTH = 100_000_000
const UPLOAD_ID = 'VXBsb2FkIElEIGZvciA2aWWpbmcncyBteS1tb3ZpZS5tMnRzIHVwbG9hZA'
const KEY = '01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d'
const region = 'eu-central-1'
const credentials = { accessKeyId: 'access', secretAccessKey: 'secret' }

export const presign: Workload = {
  title: 'Signing the URLs of a 1 TB file, without a server',
  metrics: { time: { title: '10,000 URLs', unit: 'ms', better: 'lower' } },
  targets: [{ metric: 'time', limit: { below: 2 }, relativeTo: { contender: 'One HMAC per URL' } }],
  async open() {
    const client = new S3Client({
      region,
      credentials,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    })
    return [
      { name: 'Stowage', run: () => timed(presignAll) },
      { name: 'AWS SDK presigner', run: () => timed(() => presignEach(client)) },
      { name: 'One HMAC per URL', run: () => timed(hmacPerUrl) },
    ]
  },
}

function presignAll(): void {
  const parts = PARTS.map((number) => ({ number, length: LENGTH }))
  presignParts(
    { origin: `https://bucket.s3.${region}.amazonaws.com`, path: `/${KEY}` },
    { credentials, region, now: new Date(), expiresInSeconds: 43_200 },
    { uploadId: UPLOAD_ID, parts },
  )
}

/** The part numbers of an upload with the maximum number of parts. */
export const PARTS = Array.from({ length: 10_000 }, (_, index) => index + 1)

const UPLOAD = { Bucket: 'bucket', Key: 'some/key', UploadId: 'VXBsb2FkIElEIG9mIHNvbWUgbGVuZ3Ro' }

/** Signs each URL with the presigner of the AWS SDK. */
export async function presignEach(client: S3Client): Promise<void> {
  for (const PartNumber of PARTS) {
    const command = new UploadPartCommand({ ...UPLOAD, PartNumber, ContentLength: 100_000_000 })
    const signableHeaders = new Set(['content-length', 'host'])
    await getSignedUrl(client, command, { expiresIn: 43_200, signableHeaders })
  }
}

/** The minimum: one HMAC per URL. */
function hmacPerUrl(): void {
  for (const number of PARTS) createHmac('sha256', 'secret').update(`${number}`).digest('hex')
}
