import type { ErrorCode } from '@stowage/protocol'

/** Fields of the error’s body besides `code` and `message`. */
interface ErrorData {
  /** The problems by field, for the code `invalid`. */
  errors?: Record<string, string[]>
  /** Whether the fields have the names of the wire format already, rather than those of the operations. */
  areWireNames?: boolean
  /** Additional fields. */
  details?: Record<string, number | string>
}

/** A refused call. `code` determines the status; `message` describes what happened and what to do. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly data: ErrorData

  constructor(code: ErrorCode, message: string, data: ErrorData = {}) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Refuses one or more fields. */
export function invalid(
  errors: Record<string, string[]>,
  options: Pick<ErrorData, 'areWireNames'> = {},
): ServiceError {
  const [field, problems] = Object.entries(errors)[0] ?? ['request', ['is invalid']]
  const others = Object.keys(errors).length - 1
  const more = others > 0 ? ` (and ${others} more ${others === 1 ? 'field' : 'fields'})` : ''
  return new ServiceError('invalid', `${field} ${problems[0]}${more}.`, { errors, ...options })
}

/** The database or the storage is unavailable. The call may be retried later. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable'
  readonly engine: 'database' | 'storage'
  /** Its disk is full. A retry does not help until space is freed. */
  readonly isFull: boolean

  constructor(engine: 'database' | 'storage', cause: unknown) {
    const isFull = isDiskFull(cause)
    super(isFull ? `the disk of the ${engine} is full` : `the ${engine} is unavailable`, { cause })
    this.engine = engine
    this.isFull = isFull
  }
}

/** SQLite's result code for a full disk. */
const SQLITE_FULL = 13

function isDiskFull(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  if ('errcode' in cause) return (Number(cause.errcode) & 0xff) === SQLITE_FULL
  return 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')
}

/** The stored bytes are missing or differ from those that were sent. */
export class DamagedObject extends Error {
  override readonly name: string = 'DamagedObject'
  /** The key of the object, if it is known. */
  readonly key: string | undefined

  constructor(message: string, key?: string) {
    super(message)
    this.key = key
  }
}

/** The storage has no object with this key. That is damage only if a version still needs the object. */
export class MissingObject extends DamagedObject {
  override readonly name = 'MissingObject'
}

/** The disk cannot read the stored bytes. Unlike changed bytes, they may be readable again later. */
export class UnreadableObject extends DamagedObject {
  override readonly name = 'UnreadableObject'
}

/** The stored data of an event cannot be read: the database is damaged, or another version of Stowage wrote it. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
  readonly id: number

  constructor(id: number, cause: unknown) {
    super(`the data of the event ${id} cannot be read`, { cause })
    this.id = id
  }
}
