import type { Caller } from './authentication.ts'
import type { Context } from './context.ts'

/** The caller’s use of its limit in the current minute. */
export interface RateLimitStatus {
  limit: number
  /** The smaller number of those that the key and its account may still send. */
  remaining: number
  /** When the count starts again from zero. */
  resetsAt: Date
  /** Whose limit the request exceeds. */
  exceeded: 'key' | 'account' | undefined
}

const WINDOW_MS = 60_000
/**
 * All keys of an account together may send this many times the requests of one key, so that creating keys does not raise
 * the limit further. All its upload tokens together may send as many again: visitors of a page cannot use up the
 * requests of the keys.
 */
const ACCOUNT_FACTOR = 10

/** Counts the request; undefined when there is no limit. */
export async function limitRate(
  context: Context,
  { keyId, accountId, uploadToken }: Pick<Caller, 'keyId' | 'accountId' | 'uploadToken'>,
): Promise<RateLimitStatus | undefined> {
  const limit = context.settings.rateLimit
  if (limit === undefined) return undefined
  const now = context.clock().getTime()
  const windowStart = new Date(now - (now % WINDOW_MS))
  const group = `${uploadToken ? 'tokens' : 'keys'} of ${accountId}`
  const counts = await context.database.countRequest({ keyId, group, limit }, windowStart)
  const ofAccount = limit * ACCOUNT_FACTOR
  const isOverOwn = counts.ofKey > limit
  return {
    limit,
    remaining: Math.max(0, Math.min(limit - counts.ofKey, ofAccount - counts.ofGroup)),
    resetsAt: new Date(windowStart.getTime() + WINDOW_MS),
    exceeded: isOverOwn ? 'key' : counts.ofGroup > ofAccount ? 'account' : undefined,
  }
}
