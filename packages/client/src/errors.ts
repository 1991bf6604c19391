import type { ErrorCode } from '@stowage/protocol'

/**
 * The codes of errors that the client itself detects. `network`: no response. `timeout`: no response or
 * no progress within the time limit. `bad_response`: the response is not from Stowage. `file_changed`: the file
 * has changed since its upload or download started. `file_unreadable`: the file cannot be read. `file_exists`: a
 * download would overwrite a file. `cancelled`: `cancel()` was called. `bad_signature`: `verifyWebhook` does not
 * accept the webhook.
 */
export type ClientErrorCode =
  | 'network'
  | 'timeout'
  | 'bad_response'
  | 'file_changed'
  | 'file_unreadable'
  | 'file_exists'
  | 'cancelled'
  | 'bad_signature'

/** The codes of the service (docs/errors.md) and of the client. */
export type StowageErrorCode = ErrorCode | ClientErrorCode

export interface StowageErrorDetails {
  status?: number | undefined
  errors?: Record<string, string[]> | undefined
  facts?: Record<string, unknown> | undefined
  retryAfterMs?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** The only error class of this package. An aborted call rejects with the reason of its AbortSignal. */
export class StowageError extends Error {
  /** Identifies errors of this class. Use `isStowageError` to check it. */
  override readonly name = 'StowageError'
  /** A code of the service (docs/errors.md), of the client, or of the S3 storage, such as `AccessDenied`. */
  declare readonly code: StowageErrorCode | (string & {})
  /** The HTTP status; 0 if there was no response. */
  declare readonly status: number
  /** For `invalid`: the problems, by field. */
  declare readonly errors: Record<string, string[]>
  /** Further fields of the response, such as `needed` and `available` of `storage_exceeded`. */
  declare readonly facts: Record<string, unknown>
  /** The delay that `Retry-After` asks for, in milliseconds. */
  declare readonly retryAfterMs: number | undefined
  /** The ID of the request in the log of the service; undefined if the service did not respond. */
  declare readonly requestId: string | undefined

  constructor(code: StowageError['code'], message: string, details: StowageErrorDetails = {}) {
    super(message, details)
    const { status = 0, errors = {}, facts = {}, retryAfterMs, requestId } = details
    Object.assign(this, { code, status, errors, facts, retryAfterMs, requestId })
  }
}

export function stalled(ms: number): StowageError {
  return new StowageError('timeout', `No progress for ${ms / 1000} seconds.`)
}

/** The `facts` of the errors that have some. Numbers with `bytes`, `needed`, `available` and the like are in bytes. */
export interface ErrorFacts {
  /** The plan has too little storage. */
  storage_exceeded: {
    needed: number
    available: number
    limit: number
    stored: number
    reserved: number
  }
  /** The plan allows too few assets. */
  assets_exceeded: { needed: number; available: number; limit: number }
  /** The server's disk has too little storage. */
  storage_full: { needed: number; available: number }
  /** What the upload token can still upload. */
  upload_token_exceeded: { remaining_bytes: number; remaining_files: number }
  /** The upload ID of the unfinished replacement. */
  replacement_in_progress: { upload_id: string }
  /** Continue with the events after this ID. */
  events_forgotten: { last_id: number }
  /** Continue with the events after this ID. */
  events_reset: { last_id: number }
}

/** A `StowageError` with this code. Its `facts` have the fields of the code. */
export type StowageErrorOf<Code extends StowageErrorCode> = StowageError & {
  readonly code: Code
  readonly facts: Code extends keyof ErrorFacts ? ErrorFacts[Code] : unknown
}

/** Returns whether the error is a `StowageError`, and has the code if one is given. */
export function isStowageError<Code extends StowageErrorCode | undefined = undefined>(
  error: unknown,
  code?: Code,
): error is Code extends StowageErrorCode ? StowageErrorOf<Code> : StowageError {
  // Not by instanceof: a page may contain the class twice, in its own bundle and in a dependency.
  return (
    error instanceof Error &&
    error.name === 'StowageError' &&
    (code === undefined || (error as StowageError).code === code)
  )
}

/** Returns whether a retry may succeed, because nothing is wrong with the request itself. */
export function isTransient(error: unknown): error is StowageError {
  if (!isStowageError(error)) return false
  const { code, status } = error
  // S3 responds with 400 if the body takes too long or is incomplete.
  if (/^(network|timeout|RequestTimeout|IncompleteBody)$/.test(code)) return true
  // The login page of a public network responds with 200; a wrong base URL usually with 404.
  if (code === 'bad_response' && status < 400) return true
  // The service is still reading the file; or another PUT of the part was faster, and may fail.
  if (code === 'verifying' || code === 'part_replaced') return true
  // 507: retrying does not help until someone frees storage.
  return status === 408 || status === 429 || (status >= 500 && status !== 507)
}
