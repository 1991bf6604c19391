import type { Context } from '../context.ts'

/** The caller’s use of its limit in the current minute. */
export interface RateLimitStatus {
  limit: number
  remaining: number
  /** When the count starts again from zero. */
  resetsAt: Date
  isExceeded: boolean
}

const WINDOW_MS = 60_000

/** Counts the request; undefined when there is no limit. */
export async function limitRate(
  context: Context,
  keyId: string,
): Promise<RateLimitStatus | undefined> {
  const limit = context.settings.rateLimit
  if (limit === undefined) return undefined
  const now = context.clock().getTime()
  const windowStart = new Date(now - (now % WINDOW_MS))
  const count = await context.database.countRequest(keyId, windowStart)
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetsAt: new Date(windowStart.getTime() + WINDOW_MS),
    isExceeded: count > limit,
  }
}
