import { createHash } from 'node:crypto'
import {
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
} from '@aws-sdk/client-s3'
import { formatDuration } from '@stowage/protocol/format'
import type { Finding } from '../../../domain/finding.ts'
import { isForbidden, isNotSet, isUnsupported } from './bucket-rule-errors.ts'
import { awsCommand, type Examination, found, quoted } from './examination.ts'

const DAY_MS = 24 * 3_600_000
/** The storage counts from the start of an upload, the service from its last activity. */
const SPARE_DAYS = 23

/** Checks that the storage removes uploads that no job will remove, such as those of a retired service. */
export async function examineLifecycle(examination: Examination): Promise<Finding> {
  return { ...(await examineRules(examination)), check: 'bucket rules' }
}

async function examineRules(examination: Examination): Promise<Finding> {
  const { bucket, prefix, fix, uploadsKeptForMs } = examination
  const wantedDays = Math.ceil(uploadsKeptForMs / DAY_MS) + SPARE_DAYS
  let rules: LifecycleRule[]
  try {
    rules = await readRules(examination)
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

function ruleFor(prefix: string, days: number): LifecycleRule {
  return {
    ID: `stowage incomplete uploads ${prefix}`.trim(),
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: days },
  }
}

/** A rule for a parent prefix also applies. */
function abortsUploads(rule: LifecycleRule, prefix: string): boolean {
  const rulePrefix = rule.Filter?.Prefix ?? rule.Prefix ?? ''
  const hasOnlyPrefix = rule.Filter?.Tag === undefined && rule.Filter?.And === undefined
  const isEnabled = rule.Status === 'Enabled' && rule.AbortIncompleteMultipartUpload !== undefined
  return isEnabled && hasOnlyPrefix && prefix.startsWith(rulePrefix)
}

/** Whether the rule removes objects under the prefix. */
function removesObjects(rule: LifecycleRule, prefix: string): boolean {
  const rulePrefix = rule.Filter?.Prefix ?? rule.Filter?.And?.Prefix ?? rule.Prefix ?? ''
  const removes = rule.Expiration?.Days !== undefined || rule.Expiration?.Date !== undefined
  const isTagged = rule.Filter?.Tag !== undefined || rule.Filter?.And?.Tags !== undefined
  const overlaps = prefix.startsWith(rulePrefix) || rulePrefix.startsWith(prefix)
  return rule.Status === 'Enabled' && removes && !isTagged && overlaps
}

function daysOf({ AbortIncompleteMultipartUpload }: LifecycleRule): number {
  return AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? Number.POSITIVE_INFINITY
}

async function readRules({ client, bucket }: Examination): Promise<LifecycleRule[]> {
  try {
    const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket })
    return (await client.send(command)).Rules ?? []
  } catch (error) {
    if (isNotSet(error)) return []
    throw error
  }
}

/** Replaces all rules of the bucket. */
export async function writeRules(
  { client, bucket }: Pick<Examination, 'client' | 'bucket'>,
  rules: { Rules: LifecycleRule[] },
): Promise<void> {
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
