import { CompleteMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3'
import { checkResponse } from './check-response.ts'

export const CONNECT_TIMEOUT_MS = 5_000
/** The time limit for all attempts of a call together, because callers wait for it. */
export const CALL_TIMEOUT_MS = 10_000
/** Storage needs longer to join many parts. */
const COMPLETE_TIMEOUT_MS = 60_000

export type Send = S3Client['send']

/**
 * Limits the time of each call, so that storage that does not respond is an outage. Also throws if a
 * successful response does not come from S3-compatible storage.
 */
export function boundedSend(client: S3Client, limitMs = CALL_TIMEOUT_MS): Send {
  return (async (command: Parameters<Send>[0]) => {
    const isCompletion = command instanceof CompleteMultipartUploadCommand
    const timeoutMs = isCompletion ? COMPLETE_TIMEOUT_MS : limitMs
    const output = await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
    checkResponse(command, output)
    return output
  }) as Send
}
