import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
} from '@aws-sdk/client-s3'
import { formatDuration } from '@stowage/protocol/format'
import type { Finding } from '../../../domain/finding.ts'
import { minimalPolicy } from '../policy.ts'
import { openClient, resolveLocation } from '../s3-client.ts'
import {
  awsCommand,
  type Examination,
  found,
  openProbe,
  type Probe,
  RESPONSE_TIMEOUT_MS,
} from './examination.ts'
import { examineCors } from './examine-cors.ts'
import { examineLifecycle } from './examine-lifecycle.ts'

/** The calls are small, so storage that responds at all responds quickly. */
const TIMEOUTS = { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true }

/**
 * Checks the bucket with the calls of a client, a browser and an operator. With `fix`, it repairs the
 * bucket's CORS and lifecycle rules. Stops at the first problem that would cause others.
 */
export async function* examineS3(
  options: Omit<Examination, 'client' | 'location'>,
): AsyncIterable<Finding> {
  const location = await resolveLocation(options).catch((error: Error) => error)
  if (location instanceof Error) {
    yield { check: 'storage', status: 'error', message: location.message }
    return
  }
  const client = openClient(options, { maxAttempts: 2, requestHandler: TIMEOUTS })
  try {
    const examination = { ...options, client, location }
    for (const examine of [examineClock, examineCredentials, examineAccess, examineRoundTrip]) {
      const finding = await examine(examination)
      yield finding
      if (finding.status === 'error') return
    }
    yield await examineCors(examination)
    yield await examineLifecycle(examination)
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    const message = `the storage at ${options.endpoint ?? 'AWS'} does not respond like S3: ${reason.slice(0, 300)}`
    yield { check: 'storage', status: 'error', message }
  } finally {
    client.destroy()
  }
}

/** S3 refuses requests whose signature is more than 15 minutes in the past or in the future. */
const REFUSED_SKEW_MS = 15 * 60_000
const NOTED_SKEW_MS = 60_000

/** Checks that the storage responds, with any status, and compares its clock with ours. */
async function examineClock({ location, clock }: Examination): Promise<Finding> {
  let response: Response
  try {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    response = await fetch(location.origin, { method: 'HEAD', redirect: 'manual', signal })
  } catch (error) {
    const reason = error instanceof Error && error.cause ? error.cause : error
    return found('error', `no storage responds at ${location.origin}: ${reason}`, {
      remedy: 'start the storage, or set STOWAGE_S3_ENDPOINT to its URL',
    })
  }
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return found('ok', `the storage at ${location.origin} responds`)
  const skewMs = clock().getTime() - date
  if (Math.abs(skewMs) < NOTED_SKEW_MS) {
    return found(
      'ok',
      `the storage at ${location.origin} responds, and its clock agrees with this machine's`,
    )
  }
  const skew = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'}`
  const isRefused = Math.abs(skewMs) >= REFUSED_SKEW_MS
  const effect = isRefused
    ? 'the storage refuses signed requests'
    : 'the storage refuses signed requests if the difference exceeds 15 minutes'
  return found(
    isRefused ? 'error' : 'note',
    `this machine's clock is ${skew} the storage's: ${effect}`,
    { remedy: 'timedatectl set-ntp true' },
  )
}

/** URLs signed with temporary credentials expire with them. */
async function examineCredentials(examination: Examination): Promise<Finding> {
  const { client, clock, signedForMs } = examination
  let expiration: Date | undefined
  try {
    ;({ expiration } = await client.config.credentials())
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return found('error', `there are no credentials for the storage: ${reason}`, {
      remedy: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, set AWS_PROFILE, or attach a role',
    })
  }
  if (expiration === undefined) return found('ok', 'the credentials do not expire')
  const lifetimeMs = expiration.getTime() - clock().getTime()
  const lifetime = formatDuration(lifetimeMs)
  if (lifetimeMs >= signedForMs) {
    return found('ok', `the credentials are valid for ${lifetime}, then they are renewed`)
  }
  return found(
    'note',
    `the credentials and the URLs signed with them are only valid for ${lifetime}, which is shorter than STOWAGE_SIGNED_FOR (${formatDuration(signedForMs)}); clients that take longer must request new URLs (GET /assets/:id/upload)`,
    {
      remedy: 'use permanent keys, a role with longer sessions, or a shorter STOWAGE_SIGNED_FOR',
    },
  )
}

/** Lists objects instead of sending HEAD, as the response to HEAD has no body with the reason. */
async function examineAccess(examination: Examination): Promise<Finding> {
  const { client, bucket, prefix, location } = examination
  try {
    const request = { Bucket: bucket, Prefix: prefix, MaxKeys: 1 }
    await client.send(new ListObjectsV2Command(request))
    return found('ok', `the bucket ${bucket} can be listed`)
  } catch (error) {
    const code = error instanceof Error ? error.name : ''
    const reason = error instanceof Error ? error.message : String(error)
    const { accessKeyId } = await client.config.credentials()
    const explained: Record<string, [string, string]> = {
      NoSuchBucket: [
        `the bucket ${bucket} does not exist`,
        awsCommand(examination, `s3 mb s3://${bucket}`),
      ],
      InvalidAccessKeyId: [
        `the storage does not know the access key ${accessKeyId}`,
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of this storage',
      ],
      SignatureDoesNotMatch: [
        `the secret does not belong to the access key ${accessKeyId}, or the region is not ${location.region}`,
        'set AWS_SECRET_ACCESS_KEY to the secret of the key',
      ],
      AuthorizationHeaderMalformed: [
        `the bucket is not in the region ${location.region}: ${reason}`,
        'set STOWAGE_S3_REGION',
      ],
      PermanentRedirect: ['the bucket is in another region', 'set STOWAGE_S3_REGION'],
      AccessDenied: [
        `the access key ${accessKeyId} may not list the bucket ${bucket}; the minimal policy is:`,
        JSON.stringify(minimalPolicy(examination), null, 2),
      ],
    }
    const [message, remedy] = explained[code] ?? [`the bucket cannot be listed: ${code} ${reason}`]
    return found('error', message, remedy === undefined ? {} : { remedy })
  }
}

/** Uploads, downloads and deletes a small file with the same calls as the service. */
async function examineRoundTrip(examination: Examination): Promise<Finding> {
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
