import type { Context } from '../context.ts'

/** Where a caller stands in the current minute. */
export interface RateStanding {
  limit: number
  remaining: number
  /** When the count begins anew. */
  resetsAt: Date
  isExceeded: boolean
}

const WINDOW_MS = 60_000

/** Counts the request; undefined where there is no limit. */
export async function limitRate(context: Context, who: string): Promise<RateStanding | undefined> {
  const limit = context.settings.rateLimit
  if (limit === undefined) return undefined
  const now = context.clock().getTime()
  const windowStart = new Date(now - (now % WINDOW_MS))
  const count = await context.database.countRequest(who, windowStart)
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetsAt: new Date(windowStart.getTime() + WINDOW_MS),
    isExceeded: count > limit,
  }
}
