import { createHash } from 'node:crypto'
import {
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
} from '@aws-sdk/client-s3'
import { formatDuration } from '@stowage/protocol/format'
import type { Finding } from '../../../domain/finding.ts'
import { isForbidden, isNotSet, isUnsupported } from '../s3-errors.ts'
import { awsCommand, type Examination, found, quoted } from './examination.ts'

const DAY_MS = 24 * 3_600_000
/** The storage counts from the start of an upload, the service from its last activity. */
const SPARE_DAYS = 23

/**
 * Checks that the storage removes uploads that no job will remove, such as those of a retired service. On Ceph, checks
 * that it does not: aborting an upload that a killed gateway left open destroys the stored file.
 */
export async function examineLifecycle(examination: Examination): Promise<Finding> {
  return { ...(await examineRules(examination)), check: 'bucket rules' }
}

async function examineRules(examination: Examination): Promise<Finding> {
  const { bucket, prefix, fix, uploadsKeptForMs } = examination
  const wantedDays = Math.ceil(uploadsKeptForMs / DAY_MS) + SPARE_DAYS
  let rules: LifecycleRule[]
  let isCeph: boolean
  try {
    ;({ rules, isCeph } = await readRules(examination))
  } catch (error) {
    if (isForbidden(error))
      return found('note', 'this access key may not read the lifecycle rules of the bucket')
    if (!isUnsupported(error)) throw error
    return found(
      'note',
      'this storage does not support lifecycle rules; only the service removes incomplete uploads',
    )
  }
  const expiring = rules.find((rule) => removesObjects(rule, prefix))
  if (expiring !== undefined) {
    const message = `the lifecycle rule ${expiring.ID ?? ''} of the bucket removes objects after some time, including files: delete the rule, or restrict it to another prefix`
    return found('error', message)
  }
  if (isCeph) return examineOnCeph(examination, rules)
  const days = rules.filter((rule) => abortsUploads(rule, prefix)).map(daysOf)
  const shortest = Math.min(...days)
  if (shortest * DAY_MS < uploadsKeptForMs) {
    return found(
      'error',
      `a lifecycle rule of the bucket aborts uploads after ${shortest} d, but the service keeps them for ${formatDuration(uploadsKeptForMs)}; set the rule to at least ${wantedDays} days`,
    )
  }
  if (days.length > 0) {
    return found('ok', `the bucket aborts incomplete uploads after ${shortest} days`)
  }
  const message = 'the bucket never removes incomplete uploads that are unknown to the service'
  const ours = ruleFor(prefix, wantedDays)
  const wanted = { Rules: [...rules.filter(({ ID }) => ID !== ours.ID), ours] }
  if (!fix) {
    return found('note', `${message}; run stowage doctor --fix to set a rule, or:`, {
      remedy: awsCommand(
        examination,
        `s3api put-bucket-lifecycle-configuration --bucket ${bucket} --lifecycle-configuration ${quoted(JSON.stringify(wanted))}`,
      ),
    })
  }
  await writeRules(examination, wanted)
  return found('fixed', `the bucket now aborts incomplete uploads after ${wantedDays} days`)
}

const CEPH_RISK =
  'on Ceph, if the gateway is killed while it completes an upload, aborting that upload later destroys the stored file'

/** No rule may abort uploads. With `fix`, a rule that doctor has set is removed. */
async function examineOnCeph(examination: Examination, rules: LifecycleRule[]): Promise<Finding> {
  const { prefix, fix } = examination
  const isOurs = ({ ID }: LifecycleRule) => ID === ruleId(prefix)
  const aborting = rules.filter((rule) => mayAbortUploads(rule, prefix))
  const others = aborting.filter((rule) => !isOurs(rule))
  const isFixed = fix && others.length < aborting.length
  if (isFixed) await writeRules(examination, { Rules: rules.filter((rule) => !isOurs(rule)) })
  const remaining = fix ? others : aborting
  if (remaining.length > 0) {
    const names = remaining.map(({ ID }) => ID ?? '').join(', ')
    const message = `lifecycle rules of the bucket abort incomplete uploads: ${names}; ${CEPH_RISK}: delete the rules, or restrict them to other prefixes`
    return found('error', message, others.length === 0 ? { remedy: 'stowage doctor --fix' } : {})
  }
  if (isFixed)
    return found('fixed', `the lifecycle rule that aborted uploads is removed: ${CEPH_RISK}`)
  return found('ok', `no lifecycle rule of the bucket aborts uploads: ${CEPH_RISK}`)
}

/** The rule that `doctor --fix` sets. */
export function ruleFor(prefix: string, days: number): LifecycleRule {
  return {
    ID: ruleId(prefix),
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: days },
  }
}

function ruleId(prefix: string): string {
  return `stowage incomplete uploads ${prefix}`.trim()
}

/** Whether the rule aborts all incomplete uploads under the prefix. A rule for a parent prefix also applies. */
function abortsUploads(rule: LifecycleRule, prefix: string): boolean {
  const hasOnlyPrefix = rule.Filter?.Tag === undefined && rule.Filter?.And === undefined
  return mayAbortUploads(rule, prefix) && hasOnlyPrefix && prefix.startsWith(prefixOf(rule))
}

/** Whether the rule aborts some incomplete uploads under the prefix. */
function mayAbortUploads(rule: LifecycleRule, prefix: string): boolean {
  return rule.AbortIncompleteMultipartUpload !== undefined && isApplied(rule, prefix)
}

/** Whether the rule removes objects of the service under the prefix. These objects have no tags. */
function removesObjects(rule: LifecycleRule, prefix: string): boolean {
  const removes = rule.Expiration?.Days !== undefined || rule.Expiration?.Date !== undefined
  const isTagged = rule.Filter?.Tag !== undefined || rule.Filter?.And?.Tags !== undefined
  return removes && !isTagged && isApplied(rule, prefix)
}

function isApplied(rule: LifecycleRule, prefix: string): boolean {
  const rulePrefix = prefixOf(rule)
  const overlaps = prefix.startsWith(rulePrefix) || rulePrefix.startsWith(prefix)
  return rule.Status === 'Enabled' && overlaps
}

function prefixOf(rule: LifecycleRule): string {
  return rule.Filter?.Prefix ?? rule.Filter?.And?.Prefix ?? rule.Prefix ?? ''
}

/** After how many days the rule aborts an upload. */
function daysOf({ AbortIncompleteMultipartUpload }: LifecycleRule): number {
  return AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? Number.POSITIVE_INFINITY
}

/** A request ID of Ceph's gateway contains a number, the time, the ID of the gateway and the name of its zone. */
const CEPH_REQUEST_ID = /^tx[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-./

/** The rules of the bucket, and whether Ceph's gateway returned them. */
async function readRules({
  client,
  bucket,
}: Examination): Promise<{ rules: LifecycleRule[]; isCeph: boolean }> {
  const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket })
  const output = await client.send(command).catch((error: unknown) => {
    if (isNotSet(error)) return { Rules: [], $metadata: (error as Metadata).$metadata }
    throw error
  })
  const isCeph = CEPH_REQUEST_ID.test(output.$metadata.requestId ?? '')
  return { rules: output.Rules ?? [], isCeph }
}

interface Metadata {
  $metadata: { requestId?: string }
}

/** Replaces all rules of the bucket. */
export async function writeRules(
  { client, bucket }: Pick<Examination, 'client' | 'bucket'>,
  rules: { Rules: LifecycleRule[] },
): Promise<void> {
  // S3 refuses an empty list.
  if (rules.Rules.length === 0) {
    await client.send(new DeleteBucketLifecycleCommand({ Bucket: bucket }))
    return
  }
  const command = new PutBucketLifecycleConfigurationCommand({
    Bucket: bucket,
    LifecycleConfiguration: rules,
  })
  // Older storage systems require this digest, which AWS's SDK no longer sends.
  command.middlewareStack.add(
    (next) => (step) => {
      const { headers, body } = step.request as { headers: Record<string, string>; body: string }
      headers['content-md5'] = createHash('md5').update(body).digest('base64')
      return next(step)
    },
    { step: 'build', priority: 'low' },
  )
  await client.send(command)
}
