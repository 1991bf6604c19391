import { createHash } from 'node:crypto'
import {
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
} from '@aws-sdk/client-s3'
import { formatDuration } from '@stowage/protocol/format'
import type { Finding } from '../../../domain/finding.ts'
import { isForbidden, isNotSet, isNotThere } from './bucket-rule-errors.ts'
import { awsCommand, type Examination, found, quoted } from './examination.ts'

const DAY_MS = 24 * 3_600_000
/** Longer than anyone goes on with an upload: each time that a client resumes gives it more time. */
const DAYS = 30

/** Whether the store itself removes what no job of ours ever will, as when a service is given up. */
export async function examineLifecycle(examination: Examination): Promise<Finding> {
  return { ...(await examineRules(examination)), about: 'bucket rules' }
}

async function examineRules(examination: Examination): Promise<Finding> {
  const { bucket, prefix, fix, uploadsKeptForMs } = examination
  let rules: LifecycleRule[]
  try {
    rules = await readRules(examination)
  } catch (error) {
    if (isForbidden(error)) return found('note', 'our key may not see the lifecycle rules')
    if (!isNotThere(error)) throw error
    return found('note', 'this store has no lifecycle rules; the jobs of the service do the work')
  }
  const deadly = rules.find((rule) => isDeadly(rule, prefix))
  if (deadly !== undefined) {
    const says = `the lifecycle rule ${deadly.ID ?? ''} of the bucket removes objects by their age, and files with them: take it away, or let it be for another prefix`
    return found('wrong', says)
  }
  const days = rules.filter((rule) => isOfUploads(rule, prefix)).map(daysOf)
  const shortest = Math.min(...days)
  if (shortest * DAY_MS < uploadsKeptForMs) {
    return found(
      'wrong',
      `a lifecycle rule of the bucket ends uploads after ${shortest} d, though the service keeps them for ${formatDuration(uploadsKeptForMs)}; make it at least ${DAYS} days`,
    )
  }
  if (days.length > 0) {
    return found('well', `the bucket lets go of incomplete uploads after ${shortest} days`)
  }
  const says = 'the bucket keeps incomplete uploads that the service does not know of for ever'
  const ours = ruleFor(prefix)
  const wanted = { Rules: [...rules.filter(({ ID }) => ID !== ours.ID), ours] }
  if (!fix) {
    return found('note', `${says}; stowage doctor --fix sets a rule for them, or:`, {
      remedy: awsCommand(
        examination,
        `s3api put-bucket-lifecycle-configuration --bucket ${bucket} --lifecycle-configuration ${quoted(JSON.stringify(wanted))}`,
      ),
    })
  }
  await writeRules(examination, wanted)
  return found(
    'mended',
    `incomplete uploads that the service does not know of go after ${DAYS} days now`,
  )
}

function ruleFor(prefix: string): LifecycleRule {
  return {
    ID: `stowage incomplete uploads ${prefix}`.trim(),
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: DAYS },
  }
}

/** Also a rule for more than our own folder is one for it. */
function isOfUploads(rule: LifecycleRule, prefix: string): boolean {
  const area = rule.Filter?.Prefix ?? rule.Prefix ?? ''
  const isPlain = rule.Filter?.Tag === undefined && rule.Filter?.And === undefined
  const isOn = rule.Status === 'Enabled' && rule.AbortIncompleteMultipartUpload !== undefined
  return isOn && isPlain && prefix.startsWith(area)
}

/** It removes what it should not know of. */
function isDeadly(rule: LifecycleRule, prefix: string): boolean {
  const area = rule.Filter?.Prefix ?? rule.Filter?.And?.Prefix ?? rule.Prefix ?? ''
  const removes = rule.Expiration?.Days !== undefined || rule.Expiration?.Date !== undefined
  const isTagged = rule.Filter?.Tag !== undefined || rule.Filter?.And?.Tags !== undefined
  const overlaps = prefix.startsWith(area) || area.startsWith(prefix)
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

/** All of the bucket's rules at once. */
export async function writeRules(
  { client, bucket }: Pick<Examination, 'client' | 'bucket'>,
  rules: { Rules: LifecycleRule[] },
): Promise<void> {
  const command = new PutBucketLifecycleConfigurationCommand({
    Bucket: bucket,
    LifecycleConfiguration: rules,
  })
  // Older stores want the digest that AWS's SDK no longer sends.
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
