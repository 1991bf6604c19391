import { createHmac } from 'node:crypto'
import { type S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

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
export function hmacPerUrl(): void {
  for (const number of PARTS) createHmac('sha256', 'secret').update(`${number}`).digest('hex')
}
