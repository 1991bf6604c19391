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

/** The store answered and refused; anything else did not get through. */
export function isRefusal(error: unknown): boolean {
  const status = statusOf(error) ?? 500
  return status >= 400 && status < 500 && status !== 429
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
