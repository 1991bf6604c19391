import { setTimeout as pause } from 'node:timers/promises'
import { type CORSRule, GetBucketCorsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3'
import type { Finding } from '../../../domain/finding.ts'
import { isForbidden, isNotSet, isUnsupported } from '../s3-errors.ts'
import { awsCommand, type Examination, found, openProbe, quoted } from './examination.ts'

/**
 * Pages of every origin may use a signed URL: the signature is the permission, and no cookies are
 * sent.
 */
const RULE: CORSRule = {
  AllowedOrigins: ['*'],
  AllowedMethods: ['GET', 'HEAD', 'PUT'],
  AllowedHeaders: ['*'],
  ExposeHeaders: ['ETag', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
  MaxAgeSeconds: 3600,
}

const MAX_CHECKS = 10
const PAUSE_MS = 500

/** Checks that scripts of a page can upload parts and read their ETags. */
export async function examineCors(examination: Examination): Promise<Finding> {
  return { ...(await examineRules(examination)), check: 'bucket rules' }
}

async function examineRules(examination: Examination): Promise<Finding> {
  const problem = await findProblem(examination)
  if (problem === undefined) return found('ok', 'browsers can upload parts and read their ETags')
  let rules: CORSRule[]
  try {
    rules = await readRules(examination)
  } catch (error) {
    if (isForbidden(error)) {
      const message = `${problem}, and this access key is not allowed to read the bucket's CORS rules; use another key to set this rule (the command replaces all others):`
      return found('error', message, { remedy: commandFor(examination, [RULE]) })
    }
    if (!isUnsupported(error)) throw error
    return found(
      'note',
      `${problem}; this storage does not support CORS rules for a bucket: allow PUT from every origin and expose ETag in the settings of the storage, or at the proxy in front of it`,
    )
  }
  // Our rule comes first, because the first rule that matches an origin applies.
  const wanted = [RULE, ...rules.filter((rule) => !isOurs(rule))]
  if (!examination.fix) {
    return found('error', `${problem}; run stowage doctor --fix, or:`, {
      remedy: commandFor(examination, wanted),
    })
  }
  return setRules(examination, wanted)
}

/** Our own rule, possibly set by an earlier version or reformatted by the storage. */
function isOurs({
  AllowedOrigins = [],
  AllowedMethods = [],
  ExposeHeaders = [],
}: CORSRule): boolean {
  const isOpen = AllowedOrigins.join() === '*' && AllowedMethods.includes('PUT')
  return isOpen && ExposeHeaders.includes('Content-Range')
}

function commandFor(examination: Examination, rules: CORSRule[]): string {
  const { bucket } = examination
  const text = JSON.stringify({ CORSRules: rules })
  const command = `s3api put-bucket-cors --bucket ${bucket} --cors-configuration ${quoted(text)}`
  return awsCommand(examination, command)
}

async function setRules(examination: Examination, rules: CORSRule[]): Promise<Finding> {
  const { client, bucket, webOrigin } = examination
  const request = { Bucket: bucket, CORSConfiguration: { CORSRules: rules } }
  await client.send(new PutBucketCorsCommand(request))
  // Some S3-compatible storage applies the rules after a moment.
  for (let attempt = 0; attempt < MAX_CHECKS; attempt += 1) {
    if ((await findProblem(examination)) === undefined) {
      return found(
        'fixed',
        `pages of ${webOrigin} can now upload parts: the bucket has a CORS rule`,
      )
    }
    await pause(PAUSE_MS)
  }
  return found(
    'error',
    `pages of ${webOrigin} cannot upload parts, although the bucket has a CORS rule`,
  )
}

async function findProblem(examination: Examination): Promise<string | undefined> {
  const probe = await openProbe(examination)
  try {
    const preflight = await probe.preflight()
    const methods = preflight.headers.get('access-control-allow-methods') ?? ''
    const isAllowed =
      preflight.ok && allowsOrigin(preflight, examination) && /\bPUT\b/.test(methods)
    if (!isAllowed) return `pages of ${examination.webOrigin} cannot upload parts`
    const response = await probe.put()
    const exposed = response.headers.get('access-control-expose-headers') ?? ''
    const isReadable = allowsOrigin(response, examination) && /\betag\b|\*/i.test(exposed)
    return isReadable
      ? undefined
      : `pages of ${examination.webOrigin} can upload parts, but cannot read their ETags`
  } finally {
    await probe.close()
  }
}

function allowsOrigin({ headers }: Response, { webOrigin }: Examination): boolean {
  return ['*', webOrigin].includes(headers.get('access-control-allow-origin') ?? '')
}

async function readRules({ client, bucket }: Examination): Promise<CORSRule[]> {
  try {
    return (await client.send(new GetBucketCorsCommand({ Bucket: bucket }))).CORSRules ?? []
  } catch (error) {
    if (isNotSet(error)) return []
    throw error
  }
}
