import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { formatDuration } from '@stowage/protocol/format'
import type { Finding } from '../../../domain/finding.ts'
import { leastPolicy } from '../policy.ts'
import type { Place } from '../resolve-location.ts'
import type { BucketOptions } from '../s3-client.ts'

/** What every look at the bucket needs. */
export interface Examination extends BucketOptions {
  client: S3Client
  place: Place
  clock: () => Date
  newId: () => string
  /** Where the pages come from whose scripts send parts. */
  webOrigin: string
  signedForMs: number
  uploadsKeptForMs: number
  fix: boolean
}

/** S3 refuses what was signed by a clock more than 15 minutes off. */
const REFUSED_SKEW_MS = 15 * 60_000
const NOTED_SKEW_MS = 60_000
export const ANSWER_TIMEOUT_MS = 10_000

export function found(
  verdict: Finding['verdict'],
  says: string,
  more: Partial<Pick<Finding, 'about' | 'remedy'>> = {},
): Finding {
  return { about: 'storage', verdict, says, ...more }
}

/** As one word for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A command of AWS's own tool, as it must be called for this store. */
export function awsCommand({ endpoint, place }: Examination, command: string): string {
  const where = endpoint === undefined ? '' : ` --endpoint-url ${endpoint}`
  return `aws${where} --region ${place.region} ${command}`
}

/** Any answer will do, also a refusal: it says that the store is there, and what time it has. */
export async function examineClock({ place, clock }: Examination): Promise<Finding> {
  let answer: Response
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    answer = await fetch(place.origin, { method: 'HEAD', redirect: 'manual', signal })
  } catch (error) {
    const reason = error instanceof Error && error.cause ? error.cause : error
    return found('wrong', `no store answers at ${place.origin}: ${reason}`, {
      remedy: 'start it, or set STOWAGE_S3_ENDPOINT to where it is',
    })
  }
  const date = Date.parse(answer.headers.get('date') ?? '')
  if (Number.isNaN(date)) return found('well', `a store answers at ${place.origin}`)
  const skewMs = clock().getTime() - date
  if (Math.abs(skewMs) < NOTED_SKEW_MS) {
    return found('well', `a store answers at ${place.origin}, and its clock agrees with ours`)
  }
  const which = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'}`
  const isRefused = Math.abs(skewMs) >= REFUSED_SKEW_MS
  const so = isRefused ? 'what it signs is refused' : 'beyond 15 minutes, what it signs is refused'
  return found(
    isRefused ? 'wrong' : 'note',
    `this machine's clock is ${which} the store's: ${so}`,
    { remedy: 'timedatectl set-ntp true' },
  )
}

/** Addresses that were signed with a role's credentials die with these. */
export async function examineCredentials(examination: Examination): Promise<Finding> {
  const { client, clock, signedForMs } = examination
  let expiration: Date | undefined
  try {
    ;({ expiration } = await client.config.credentials())
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return found('wrong', `there are no credentials for the store: ${reason}`, {
      remedy: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or give it a role',
    })
  }
  if (expiration === undefined) return found('well', 'the credentials do not expire')
  const lifeMs = expiration.getTime() - clock().getTime()
  if (lifeMs >= signedForMs) {
    return found(
      'well',
      `the credentials live for ${formatDuration(lifeMs)}, then they are renewed`,
    )
  }
  return found(
    'note',
    `the credentials live for ${formatDuration(lifeMs)}, and the addresses that they sign with them, though these are meant for ${formatDuration(signedForMs)}; a client that takes longer asks again (GET /assets/:id/upload)`,
    { remedy: 'use lasting keys, or a role with longer sessions, or a shorter STOWAGE_SIGNED_FOR' },
  )
}

/** A listing's refusal has a body that says why, which the answer to HEAD has not. */
export async function examineRights(examination: Examination): Promise<Finding> {
  const { client, bucket, prefix, place } = examination
  try {
    const request = { Bucket: bucket, Prefix: prefix, MaxKeys: 1 }
    await client.send(new ListObjectsV2Command(request))
    return found('well', `the bucket ${bucket} can be listed`)
  } catch (error) {
    const code = error instanceof Error ? error.name : ''
    const message = error instanceof Error ? error.message : String(error)
    const { accessKeyId } = await client.config.credentials()
    const explained: Record<string, [string, string]> = {
      NoSuchBucket: [
        `there is no bucket ${bucket}`,
        awsCommand(examination, `s3 mb s3://${bucket}`),
      ],
      InvalidAccessKeyId: [
        `the store knows no access key ${accessKeyId}`,
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of this store',
      ],
      SignatureDoesNotMatch: [
        `the secret is not that of the access key ${accessKeyId}, or the region is not ${place.region}`,
        'set AWS_SECRET_ACCESS_KEY to the secret that goes with the key',
      ],
      AuthorizationHeaderMalformed: [
        `the region ${place.region} is not the bucket's: ${message}`,
        'set STOWAGE_S3_REGION',
      ],
      PermanentRedirect: ['the bucket is in another region', 'set STOWAGE_S3_REGION'],
      AccessDenied: [
        `the access key ${accessKeyId} may not list the bucket ${bucket}; the least that it needs:`,
        JSON.stringify(leastPolicy(examination), null, 2),
      ],
    }
    const [says, remedy] = explained[code] ?? [`the bucket can't be listed: ${code} ${message}`]
    return found('wrong', says, remedy === undefined ? {} : { remedy })
  }
}
