import { createHash } from 'node:crypto'
import {
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
} from '@aws-sdk/client-s3'
import { isNotSet } from './bucket-rule-errors.ts'
import type { Examination } from './examination.ts'

/** The rule that `doctor --fix` sets. */
export function ruleFor(prefix: string, days: number): LifecycleRule {
  return {
    ID: ruleId(prefix),
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: days },
  }
}

export function ruleId(prefix: string): string {
  return `stowage incomplete uploads ${prefix}`.trim()
}

/** Whether the rule aborts all incomplete uploads under the prefix. A rule for a parent prefix also applies. */
export function abortsUploads(rule: LifecycleRule, prefix: string): boolean {
  const hasOnlyPrefix = rule.Filter?.Tag === undefined && rule.Filter?.And === undefined
  return mayAbortUploads(rule, prefix) && hasOnlyPrefix && prefix.startsWith(prefixOf(rule))
}

/** Whether the rule aborts some incomplete uploads under the prefix. */
export function mayAbortUploads(rule: LifecycleRule, prefix: string): boolean {
  return rule.AbortIncompleteMultipartUpload !== undefined && isApplied(rule, prefix)
}

/** Whether the rule removes objects of the service under the prefix. These objects have no tags. */
export function removesObjects(rule: LifecycleRule, prefix: string): boolean {
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
export function daysOf({ AbortIncompleteMultipartUpload }: LifecycleRule): number {
  return AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? Number.POSITIVE_INFINITY
}

/** A request ID of Ceph's gateway contains a number, the time, the ID of the gateway and the name of its zone. */
const CEPH_REQUEST_ID = /^tx[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-./

/** The rules of the bucket, and whether Ceph's gateway returned them. */
export async function readRules({
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
