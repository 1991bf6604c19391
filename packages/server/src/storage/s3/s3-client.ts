import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { CONNECT_TIMEOUT_MS } from './bounded-send.ts'

/** How long a store may be silent in the middle of what it sends. */
const SILENCE_TIMEOUT_MS = 60_000

/** Which bucket, and how to reach it. */
export interface BucketOptions {
  bucket: string
  /** Before every key; with its slash, or empty. */
  prefix: string
  /** Undefined: as AWS's own settings say, which is mostly AWS itself. */
  endpoint: string | undefined
  /** Undefined: as AWS's own settings say. */
  region: string | undefined
  pathStyle: boolean
}

export function openClient(options: BucketOptions, more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    ...(options.region !== undefined && { region: options.region }),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    forcePathStyle: options.pathStyle,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: SILENCE_TIMEOUT_MS },
    // Otherwise every address asks for a checksum that plain clients do not send.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...more,
  })
}
