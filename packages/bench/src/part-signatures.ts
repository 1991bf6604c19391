import { createHmac } from 'node:crypto'
import { type S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

/** As many as an upload can have. */
export const PARTS = Array.from({ length: 10_000 }, (_, index) => index + 1)

const UPLOAD = { Bucket: 'bucket', Key: 'some/key', UploadId: 'VXBsb2FkIElEIG9mIHNvbWUgbGVuZ3Ro' }

/** As everybody signs them. */
export async function presignEach(client: S3Client): Promise<void> {
  for (const PartNumber of PARTS) {
    const command = new UploadPartCommand({ ...UPLOAD, PartNumber, ContentLength: 100_000_000 })
    const signableHeaders = new Set(['content-length', 'host'])
    await getSignedUrl(client, command, { expiresIn: 43_200, signableHeaders })
  }
}

/** The least that each address takes, as Node makes it. */
export function hmacEach(): void {
  for (const number of PARTS) createHmac('sha256', 'secret').update(`${number}`).digest('hex')
}
