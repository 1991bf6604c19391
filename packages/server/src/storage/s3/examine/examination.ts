import type { S3Client } from '@aws-sdk/client-s3'
import type { Finding } from '../../../domain/finding.ts'
import type { BucketLocation } from '../resolve-location.ts'
import type { BucketOptions } from '../s3-client.ts'

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
