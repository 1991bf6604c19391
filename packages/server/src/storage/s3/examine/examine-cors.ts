import { setTimeout as pause } from 'node:timers/promises'
import { type CORSRule, GetBucketCorsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3'
import type { Finding } from '../../../domain/finding.ts'
import { isForbidden, isNotSet, isNotThere } from './bucket-rule-errors.ts'
import { awsCommand, type Examination, found, quoted } from './examination.ts'
import { openProbe } from './probe.ts'

/**
 * A signed address is itself the permission, and no cookie goes with it: so pages of every origin
 * may use one.
 */
const RULE: CORSRule = {
  AllowedOrigins: ['*'],
  AllowedMethods: ['GET', 'HEAD', 'PUT'],
  AllowedHeaders: ['*'],
  ExposeHeaders: ['ETag', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
  MaxAgeSeconds: 3600,
}

const TRIES = 10
const PAUSE_MS = 500

/** Whether scripts of a page may send parts and read the ETag of each. */
export async function examineCors(examination: Examination): Promise<Finding> {
  return { ...(await examineRules(examination)), about: 'bucket rules' }
}

async function examineRules(examination: Examination): Promise<Finding> {
  const problem = await problemOfBrowsers(examination)
  if (problem === undefined) return found('well', 'browsers may send parts and read their ETags')
  let rules: CORSRule[]
  try {
    rules = await readRules(examination)
  } catch (error) {
    if (isForbidden(error)) {
      const says = `${problem}, and our key may not see the bucket's rules; someone who may adds this to them:`
      return found('wrong', says, { remedy: commandFor(examination, [RULE]) })
    }
    if (!isNotThere(error)) throw error
    return found(
      'note',
      `${problem}; this store has no CORS rules for a bucket: allow PUT from every origin and expose ETag in its own settings, or at the proxy before it`,
    )
  }
  // First, as the first rule that fits an origin decides.
  const wanted = [RULE, ...rules.filter((rule) => !isOurs(rule))]
  if (!examination.fix) {
    return found('wrong', `${problem}; stowage doctor --fix sets this, or:`, {
      remedy: commandFor(examination, wanted),
    })
  }
  return setRules(examination, wanted)
}

/** As an earlier version may have set it, or a store gives it back. */
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
  // Some stores take a moment.
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if ((await problemOfBrowsers(examination)) === undefined) {
      return found('mended', `pages of ${webOrigin} may send parts now: the bucket has a CORS rule`)
    }
    await pause(PAUSE_MS)
  }
  return found(
    'wrong',
    `pages of ${webOrigin} may not send parts, though the bucket has a CORS rule`,
  )
}

async function problemOfBrowsers(examination: Examination): Promise<string | undefined> {
  const probe = await openProbe(examination)
  try {
    const preflight = await probe.preflight()
    const methods = preflight.headers.get('access-control-allow-methods') ?? ''
    const isAsked = preflight.ok && allowsOrigin(preflight, examination) && /\bPUT\b/.test(methods)
    if (!isAsked) return `a page of ${examination.webOrigin} may not send parts`
    const answer = await probe.put()
    const exposed = answer.headers.get('access-control-expose-headers') ?? ''
    const isReadable = allowsOrigin(answer, examination) && /\betag\b|\*/i.test(exposed)
    return isReadable ? undefined : 'a page may send parts, but not read their ETags'
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
