import { EngineUnavailable } from '../../errors.ts'

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined
  const metadata = error.$metadata as { httpStatusCode?: number }
  return metadata.httpStatusCode
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

/** The upload does not exist (any more). Some stores say that its key does not. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 404 && ['NoSuchUpload', 'NoSuchKey'].includes(nameOf(error))
}

export function isMissingObject(error: unknown): boolean {
  return statusOf(error) === 404 && ['NotFound', 'NoSuchKey'].includes(nameOf(error))
}

/** The condition does not hold; or the store does not know the header, and did nothing. */
export function isConditionRefused(error: unknown): boolean {
  return [409, 412, 501].includes(statusOf(error) ?? 0)
}

/** Statuses that say "not now": a timeout, a conflict with another call, too many requests. */
const PASSING_STATUSES = [404, 408, 409, 429]
/** Refusals that end by themselves, when credentials are renewed or clocks agree again. */
const PASSING_NAMES = ['ExpiredToken', 'RequestExpired', 'RequestTimeout', 'RequestTimeTooSkewed']

/** The store answered, and will answer the same to the same call. */
export function isFinalRefusal(error: unknown): boolean {
  const status = statusOf(error) ?? 500
  const isPassing = PASSING_STATUSES.includes(status) || PASSING_NAMES.includes(nameOf(error))
  return status >= 400 && status < 500 && !isPassing
}

/** A part is not the one that was listed a moment ago. */
export function isPartRefusal(error: unknown): boolean {
  return nameOf(error) === 'InvalidPart'
}

const LONGEST_REASON = 300

/** What the store said, for people. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const name = nameOf(error)
  const isNamed = name === '' || message.startsWith(name)
  return (isNamed ? message : `${name}: ${message}`).slice(0, LONGEST_REASON)
}

/** Whatever a store does not do for us is an outage: wrong settings show there, too. */
export async function orOutage<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new EngineUnavailable('storage', explained(error))
  }
}

/** Answers to HEAD say nothing but a number. */
function explained(error: unknown): unknown {
  const status = statusOf(error)
  const hint = '`stowage doctor` says more'
  if (nameOf(error) === 'NoSuchBucket' || (status === 404 && nameOf(error) === 'NotFound')) {
    return new Error(`there is no such bucket; ${hint}`, { cause: error })
  }
  if (status === 403) return new Error(`the store refuses our key; ${hint}`, { cause: error })
  return error
}
