import { S3Client } from '@aws-sdk/client-s3'
import { presignParts } from '@stowage/server/src/storage/s3/presign'
import { hmacPerUrl, PARTS, presignEach } from '../part-signatures.ts'
import { timed } from '../timed.ts'
import type { Workload } from '../workload.ts'

const LENGTH = 100_000_000
const UPLOAD = 'VXBsb2FkIElEIGZvciA2aWWpbmcncyBteS1tb3ZpZS5tMnRzIHVwbG9hZA'
const KEY = '01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d'
const region = 'eu-central-1'
const credentials = { accessKeyId: 'access', secretAccessKey: 'secret' }

export const workload: Workload = {
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
    { uploadId: UPLOAD, parts },
  )
}
