import { CompleteMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3'
import { checkResponse } from './check-response.ts'

export const CONNECT_TIMEOUT_MS = 5_000
/** For all tries of a call together: callers wait for it. */
export const CALL_TIMEOUT_MS = 10_000
/** Stores take their time to put many parts together. */
const COMPLETE_TIMEOUT_MS = 60_000

export type Send = S3Client['send']

/**
 * A store that takes a call and then is silent is an outage, not a call that never ends; and so is a
 * success that is not the store's.
 */
export function boundedSend(client: S3Client): Send {
  return (async (command: Parameters<Send>[0]) => {
    const isCompletion = command instanceof CompleteMultipartUploadCommand
    const timeoutMs = isCompletion ? COMPLETE_TIMEOUT_MS : CALL_TIMEOUT_MS
    const output = await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
    checkResponse(command, output)
    return output
  }) as Send
}
