const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The pauses before the retries. If the last retry fails, the delivery has failed. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/** A longer `Retry-After` is reduced to this. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS

/**
 * When to send a delivery again after its `failures`-th failed attempt at `now`; undefined if it has failed permanently.
 * `Retry-After` postpones the retry, but never advances it: otherwise a short one would use up all attempts.
 */
export function nextAttemptAt(
  now: Date,
  failures: number,
  retryAfter: string | null,
): Date | undefined {
  const delayMs = RETRY_DELAYS_MS[failures - 1]
  if (delayMs === undefined) return undefined
  const askedMs = Math.min(parseRetryAfter(retryAfter, now), MAX_RETRY_AFTER_MS)
  return new Date(now.getTime() + Math.max(delayMs, askedMs))
}

/** Seconds or an HTTP date, as a pause in milliseconds; 0 if it is neither, or in the past. */
function parseRetryAfter(text: string | null, now: Date): number {
  if (text === null) return 0
  if (/^\d+$/.test(text.trim())) return Number(text) * SECOND_MS
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime())
}
