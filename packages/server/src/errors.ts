import type { ErrorCode } from '@stowage/protocol'

export interface ErrorFacts {
  /** What is wrong, by field; goes with `invalid`. */
  errors?: Record<string, string[]>
  /** Further members of the error's body, by their names on the wire. */
  details?: Record<string, number>
}

/** A refusal: `code` picks the status, `message` tells the reader what to do. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly facts: ErrorFacts

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message)
    this.code = code
    this.facts = facts
  }
}

/** Refuses one or more fields with 422. */
export function invalid(errors: Record<string, string[]>): ServiceError {
  const [field, problems] = Object.entries(errors)[0] ?? ['request', ['is invalid']]
  const others = Object.keys(errors).length - 1
  const more = others > 0 ? ` (and ${others} more ${others === 1 ? 'field' : 'fields'})` : ''
  return new ServiceError('invalid', `${field} ${problems[0]}${more}.`, { errors })
}

/** An engine behind a port does not answer; the call may be repeated later. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable'
  readonly engine: 'database' | 'storage'
  /** Its disk has no room left. Repeating the call does not help until there is some. */
  readonly isFull: boolean

  constructor(engine: 'database' | 'storage', cause: unknown) {
    const isFull = isOfFullDisk(cause)
    super(isFull ? `the disk of the ${engine} is full` : `the ${engine} does not answer`, { cause })
    this.engine = engine
    this.isFull = isFull
  }
}

/** SQLite's result code for a full disk. */
const SQLITE_FULL = 13

function isOfFullDisk(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  if ('errcode' in cause) return (Number(cause.errcode) & 0xff) === SQLITE_FULL
  return 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')
}

/** Stored bytes are not those that were sent, or not there. */
export class DamagedObject extends Error {
  override readonly name = 'DamagedObject'
}
