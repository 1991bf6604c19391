import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { Finding } from '../../../domain/finding.ts'
import { encodePath, presignGet, presignParts } from '../presign.ts'
import type { BucketLocation, BucketOptions } from '../s3-client.ts'

/** What every check of the bucket needs. */
export interface Examination extends BucketOptions {
  client: S3Client
  location: BucketLocation
  clock: () => Date
  newId: () => string
  /** The origin of the pages whose scripts upload parts. */
  webOrigin: string
  signedForMs: number
  uploadsKeptForMs: number
  fix: boolean
}

export const RESPONSE_TIMEOUT_MS = 10_000

export function found(
  status: Finding['status'],
  message: string,
  more: Partial<Pick<Finding, 'check' | 'remedy'>> = {},
): Finding {
  return { check: 'storage', status, message, ...more }
}

/** Quotes the text as one argument for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A command of the AWS CLI, with the endpoint and region of this storage. */
export function awsCommand({ endpoint, location }: Examination, command: string): string {
  const option = endpoint === undefined ? '' : ` --endpoint-url ${endpoint}`
  return `aws${option} --region ${location.region} ${command}`
}

const PROBE_CONTENT = 'stowage'
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
  const parts = [{ number: 1, length: PROBE_CONTENT.length }]
  const [url = ''] = presignParts(target, signing, { uploadId: UploadId, parts })
  const headers = { Origin: webOrigin }
  const timeout = () => AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
  return {
    content: PROBE_CONTENT,
    object,
    upload: { ...object, UploadId },
    preflight: () =>
      fetch(url, {
        method: 'OPTIONS',
        signal: timeout(),
        headers: { ...headers, 'Access-Control-Request-Method': 'PUT' },
      }),
    put: () => fetch(url, { method: 'PUT', headers, body: PROBE_CONTENT, signal: timeout() }),
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
