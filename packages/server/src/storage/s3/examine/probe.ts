import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
} from '@aws-sdk/client-s3'
import { encodePath, presignGet, presignParts } from '../presign.ts'
import { type Examination, RESPONSE_TIMEOUT_MS } from './examination.ts'

const CONTENT = 'stowage'
const MINUTE_SECONDS = 60

/** An upload of one small part, with a key that no asset has. */
export interface Probe {
  content: string
  object: { Bucket: string; Key: string }
  upload: { Bucket: string; Key: string; UploadId: string }
  /** The request that a browser sends before PUT. */
  preflight(): Promise<Response>
  /** PUT as from a script of our own page. */
  put(): Promise<Response>
  get(): Promise<Response>
  /** Removes the upload or the object. */
  close(): Promise<void>
}

export async function openProbe(examination: Examination): Promise<Probe> {
  const { client, bucket, prefix, location, webOrigin } = examination
  const key = `${prefix}doctor-${examination.newId()}`
  const object = { Bucket: bucket, Key: key }
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(object))
  const target = { origin: location.origin, path: location.base + encodePath(key) }
  const signing = {
    credentials: await client.config.credentials(),
    region: location.region,
    now: examination.clock(),
    expiresInSeconds: MINUTE_SECONDS,
  }
  const parts = [{ number: 1, length: CONTENT.length }]
  const [url = ''] = presignParts(target, signing, { uploadId: UploadId, parts })
  const headers = { Origin: webOrigin }
  const timeout = () => AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
  return {
    content: CONTENT,
    object,
    upload: { ...object, UploadId },
    preflight: () =>
      fetch(url, {
        method: 'OPTIONS',
        signal: timeout(),
        headers: { ...headers, 'Access-Control-Request-Method': 'PUT' },
      }),
    put: () => fetch(url, { method: 'PUT', headers, body: CONTENT, signal: timeout() }),
    get: () =>
      fetch(presignGet(target, signing, { disposition: 'attachment', type: 'text/plain' }), {
        signal: timeout(),
      }),
    async close() {
      await client
        .send(new AbortMultipartUploadCommand({ ...object, UploadId }))
        .catch(() => client.send(new DeleteObjectCommand(object)))
        .catch(() => {})
    },
  }
}
