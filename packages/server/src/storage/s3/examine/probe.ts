import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
} from '@aws-sdk/client-s3'
import { encodePath, presignGet, presignParts } from '../presign.ts'
import { ANSWER_TIMEOUT_MS, type Examination } from './examination.ts'

const CONTENT = 'stowage'
const MINUTE_SECONDS = 60

/** An upload of one small part, under a name that is no asset's. */
export interface Probe {
  content: string
  object: { Bucket: string; Key: string }
  upload: { Bucket: string; Key: string; UploadId: string }
  /** As a browser asks before it sends. */
  preflight(): Promise<Response>
  /** As a browser sends, from a page of ours. */
  put(): Promise<Response>
  get(): Promise<Response>
  /** Leaves nothing behind. */
  close(): Promise<void>
}

export async function openProbe(examination: Examination): Promise<Probe> {
  const { client, bucket, prefix, place, webOrigin } = examination
  const key = `${prefix}doctor-${examination.newId()}`
  const object = { Bucket: bucket, Key: key }
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(object))
  const target = { origin: place.origin, path: place.base + encodePath(key) }
  const signing = {
    credentials: await client.config.credentials(),
    region: place.region,
    now: examination.clock(),
    expiresInSeconds: MINUTE_SECONDS,
  }
  const parts = [{ number: 1, length: CONTENT.length }]
  const [url = ''] = presignParts(target, signing, { uploadId: UploadId, parts })
  const headers = { Origin: webOrigin }
  const soon = () => AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  return {
    content: CONTENT,
    object,
    upload: { ...object, UploadId },
    preflight: () =>
      fetch(url, {
        method: 'OPTIONS',
        signal: soon(),
        headers: { ...headers, 'Access-Control-Request-Method': 'PUT' },
      }),
    put: () => fetch(url, { method: 'PUT', headers, body: CONTENT, signal: soon() }),
    get: () =>
      fetch(presignGet(target, signing, { disposition: 'attachment', type: 'text/plain' }), {
        signal: soon(),
      }),
    async close() {
      await client
        .send(new AbortMultipartUploadCommand({ ...object, UploadId }))
        .catch(() => client.send(new DeleteObjectCommand(object)))
        .catch(() => {})
    },
  }
}
