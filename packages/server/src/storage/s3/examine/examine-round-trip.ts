import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
} from '@aws-sdk/client-s3'
import type { Finding } from '../../../domain/finding.ts'
import { minimalPolicy } from '../policy.ts'
import { type Examination, found } from './examination.ts'
import { openProbe, type Probe } from './probe.ts'

/** Uploads, downloads and deletes a small file with the same calls as the service. */
export async function examineRoundTrip(examination: Examination): Promise<Finding> {
  const { client, bucket, prefix } = examination
  let step = 's3:PutObject (open an upload)'
  const begin = (next: string) => {
    step = next
  }
  let probe: Probe | undefined
  try {
    probe = await openProbe(examination)
    const { object, upload } = probe
    begin('s3:PutObject (a signed part)')
    const part = await probe.put()
    if (!part.ok) throw new Error(`status ${part.status}: ${await part.text()}`)
    begin('s3:ListMultipartUploadParts')
    const { Parts = [] } = await client.send(new ListPartsCommand(upload))
    begin('s3:ListBucketMultipartUploads')
    await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
    begin('s3:PutObject (complete an upload)')
    const list = Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    const request = { ...upload, MultipartUpload: { Parts: list } }
    await client.send(new CompleteMultipartUploadCommand(request))
    begin('s3:GetObject')
    await client.send(new HeadObjectCommand(object))
    const response = await probe.get()
    if ((await response.text()) !== probe.content)
      throw new Error('the downloaded bytes differ from the uploaded bytes')
    begin('s3:AbortMultipartUpload')
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId }))
    begin('s3:DeleteObject')
    await client.send(new DeleteObjectCommand(object))
    return found('ok', 'a small file was uploaded and downloaded with signed URLs')
  } catch (error) {
    await probe?.close()
    const reason = error instanceof Error ? `${error.name} ${error.message}` : String(error)
    return found(
      'error',
      `uploading and downloading a small file failed at ${step}: ${reason.slice(0, 300)}`,
      {
        remedy: JSON.stringify(minimalPolicy(examination), null, 2),
      },
    )
  }
}
