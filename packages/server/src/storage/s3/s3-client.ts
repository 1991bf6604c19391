import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { CONNECT_TIMEOUT_MS } from './bounded-send.ts'

/** How long a response may stall. */
const STALL_TIMEOUT_MS = 60_000

/** Which bucket, and how to reach it. */
export interface BucketOptions {
  bucket: string
  /** Precedes every key. Empty, or with a slash at the end. */
  prefix: string
  /** Undefined: from AWS's own settings, by default AWS itself. */
  endpoint: string | undefined
  /** Undefined: from AWS's own settings. */
  region: string | undefined
  pathStyle: boolean
}

export function openClient(options: BucketOptions, more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    ...(options.region !== undefined && { region: options.region }),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    forcePathStyle: options.pathStyle,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: STALL_TIMEOUT_MS },
    // By default, the SDK uses checksums in all calls, which some S3-compatible storage does not support.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...more,
  })
}
