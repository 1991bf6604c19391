import { EngineUnavailable } from '../../domain/errors.ts'

/** The upload does not exist. Some S3-compatible storage reports a missing key instead of a missing upload. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 404 && ['NoSuchUpload', 'NoSuchKey'].includes(nameOf(error))
}

export function isMissingObject(error: unknown): boolean {
  return statusOf(error) === 404 && ['NotFound', 'NoSuchKey'].includes(nameOf(error))
}

/** Unlike `isMissingObject`, only for responses with a body, which shows whether the object or the bucket is missing. */
export function isMissingKey(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) === 'NoSuchKey'
}

/** An empty object has no satisfiable range. */
export function isEmptyRange(error: unknown): boolean {
  return statusOf(error) === 416
}

/** The condition is not met, or the storage does not support the header and did nothing. */
export function isConditionRefused(error: unknown): boolean {
  return [409, 412, 501].includes(statusOf(error) ?? 0)
}

/** Temporary failures: another call has just closed the upload, a timeout, a conflict, too many requests. */
const TEMPORARY_STATUSES = [404, 408, 409, 429]
/** Temporary failures with other statuses: expired credentials, a slow request, or clocks that differ. */
const TEMPORARY_NAMES = ['ExpiredToken', 'RequestExpired', 'RequestTimeout', 'RequestTimeTooSkewed']

/** The storage refused, and will refuse the same call again. */
export function isFinalRefusal(error: unknown): boolean {
  const status = statusOf(error) ?? 500
  const isTemporary = TEMPORARY_STATUSES.includes(status) || TEMPORARY_NAMES.includes(nameOf(error))
  return status >= 400 && status < 500 && !isTemporary
}

/** A part has changed since it was listed. */
export function isPartRefusal(error: unknown): boolean {
  return nameOf(error) === 'InvalidPart'
}

const MAX_REASON_LENGTH = 300

/** The error of the storage as text. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const name = nameOf(error)
  const hasName = name === '' || message.startsWith(name)
  return (hasName ? message : `${name}: ${message}`).slice(0, MAX_REASON_LENGTH)
}

/** Reports every failure of the storage as an outage, including those caused by wrong settings. */
export async function orOutage<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new EngineUnavailable('storage', explained(error))
  }
}

/** Responses to HEAD have only a status, so the cause is explained here. */
function explained(error: unknown): unknown {
  const status = statusOf(error)
  const hint = 'run `stowage doctor` for details'
  if (nameOf(error) === 'NoSuchBucket' || (status === 404 && nameOf(error) === 'NotFound')) {
    return new Error(`the bucket does not exist; ${hint}`, { cause: error })
  }
  if (status === 403)
    return new Error(`the storage denies access with these credentials; ${hint}`, { cause: error })
  return error
}

/** The bucket has no rules of the requested kind: CORS or lifecycle. */
export function isNotSet(error: unknown): boolean {
  return /^NoSuch(CORS|Lifecycle)Configuration$/.test(nameOf(error))
}

/** The storage does not support such rules. */
export function isUnsupported(error: unknown): boolean {
  return /^(NotImplemented|MethodNotAllowed|InvalidArgument|MalformedXML|InvalidRequest)$/.test(
    nameOf(error),
  )
}

/** The access key may not read such rules. */
export function isForbidden(error: unknown): boolean {
  return statusOf(error) === 403
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined
  const metadata = error.$metadata as { httpStatusCode?: number }
  return metadata.httpStatusCode
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
