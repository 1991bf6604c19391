import type { ErrorCode } from '@stowage/protocol'

/**
 * What goes wrong on our side of the line. `network`: no answer. `timeout`: no answer, or no
 * progress, in time. `bad_answer`: something between us and the service answered in its place.
 * `file_changed`: the file is not what it was when its upload began. `file_unreadable`: it can't be
 * read. `file_exists`: a download must not write over what is there. `cancelled`: `cancel()` was
 * called.
 */
export type ClientErrorCode =
  | 'network'
  | 'timeout'
  | 'bad_answer'
  | 'file_changed'
  | 'file_unreadable'
  | 'file_exists'
  | 'cancelled'

export type StowageErrorCode = ErrorCode | ClientErrorCode

export interface StowageErrorDetails {
  status?: number | undefined
  errors?: Record<string, string[]> | undefined
  facts?: Record<string, unknown> | undefined
  retryAfterMs?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** The one class of errors of this package. An AbortSignal's own reason is thrown as it is. */
export class StowageError extends Error {
  override readonly name = 'StowageError'
  /** From the service's catalogue (docs/errors.md), or one of ours. */
  declare readonly code: StowageErrorCode | (string & {})
  /** The answer's HTTP status; 0 when there was none. */
  declare readonly status: number
  /** With `invalid`: what is wrong, by field. */
  declare readonly errors: Record<string, string[]>
  /** What else the answer says: `needed` and `available` with `storage_exceeded`, for one. */
  declare readonly facts: Record<string, unknown>
  /** How long the answer asks us to wait. */
  declare readonly retryAfterMs: number | undefined
  /** What the service calls this request in its log; undefined when there was no answer. */
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

/** Whether it is an error of this package, and of this code if one is given. */
export function isStowageError(error: unknown, code?: StowageErrorCode): error is StowageError {
  // By name, as a page may hold the class twice: in its own bundle and in a dependency's.
  return (
    error instanceof Error &&
    error.name === 'StowageError' &&
    (code === undefined || (error as StowageError).code === code)
  )
}

/** Worth another try: nothing is wrong with the request itself. */
export function isTransient(error: unknown): error is StowageError {
  if (!isStowageError(error)) return false
  const { code, status } = error
  // S3 says 400 when it waited too long for the body, or when that broke off.
  if (/^(network|timeout|RequestTimeout|IncompleteBody)$/.test(code)) return true
  // A hotel's login page answers 200; a wrong address of ours, 404.
  if (code === 'bad_answer' && status < 400) return true
  // 507: somebody has to free space first.
  return status === 408 || status === 429 || (status >= 500 && status !== 507)
}
