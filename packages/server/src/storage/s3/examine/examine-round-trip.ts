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
import { leastPolicy } from '../policy.ts'
import { type Examination, found } from './examination.ts'
import { openProbe, type Probe } from './probe.ts'

/** A small file there and back, by the ways that the service uses. */
export async function examineRoundTrip(examination: Examination): Promise<Finding> {
  const { client, bucket, prefix } = examination
  let step = 's3:PutObject (open an upload)'
  const at = (next: string) => {
    step = next
  }
  let probe: Probe | undefined
  try {
    probe = await openProbe(examination)
    const { object, upload } = probe
    at('s3:PutObject (a signed part)')
    const part = await probe.put()
    if (!part.ok) throw new Error(`status ${part.status}: ${await part.text()}`)
    at('s3:ListMultipartUploadParts')
    const { Parts = [] } = await client.send(new ListPartsCommand(upload))
    at('s3:ListBucketMultipartUploads')
    await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
    at('s3:PutObject (complete an upload)')
    const list = Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    const request = { ...upload, MultipartUpload: { Parts: list } }
    await client.send(new CompleteMultipartUploadCommand(request))
    at('s3:GetObject')
    await client.send(new HeadObjectCommand(object))
    const answer = await probe.get()
    if ((await answer.text()) !== probe.content) throw new Error('other bytes came back')
    at('s3:AbortMultipartUpload')
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId }))
    at('s3:DeleteObject')
    await client.send(new DeleteObjectCommand(object))
    return found('well', 'a small file went there and back by signed addresses')
  } catch (error) {
    await probe?.close()
    const reason = error instanceof Error ? `${error.name} ${error.message}` : String(error)
    return found('wrong', `a small file did not get through, at ${step}: ${reason.slice(0, 300)}`, {
      remedy: JSON.stringify(leastPolicy(examination), null, 2),
    })
  }
}
