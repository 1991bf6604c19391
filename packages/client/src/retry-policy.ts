import type { RetryOptions } from './options.ts'

/** This many failures in a row never end an upload, a download or an event stream, however long they take. */
const FEW_FAILURES = 8

/**
 * Returns the delay before the next try. Up to half of it is random, so that clients that failed together
 * do not retry together. `Retry-After` can only make it longer: a server that always sends 0 must not be
 * called in a tight loop.
 */
export function retryDelay(
  attempt: number,
  { firstMs = 500, longestMs = 20_000 }: RetryOptions,
  retryAfterMs = 0,
): number {
  const full = Math.min(longestMs, firstMs * 2 ** (attempt - 1))
  return Math.max(retryAfterMs, full * (0.5 + Math.random() / 2))
}

/**
 * The options until the other side has responded for the first time. A wrong setting is likely then, so five attempts
 * take less than two seconds.
 */
export function untilReached(retry: RetryOptions): RetryOptions {
  return { ...retry, longestMs: Math.min(400, retry.longestMs ?? 400) }
}

export interface RetryPolicy {
  succeeded(): void
  /** Throws the error after too many failures in a row over too long a time. */
  failed(error: unknown): void
}

/** Gives up only if nothing succeeds for `giveUpAfterMs`. */
export function createRetryPolicy({ giveUpAfterMs = 30 * 60_000 }: RetryOptions): RetryPolicy {
  let failures = 0
  let since = 0
  return {
    succeeded() {
      failures = 0
    },
    failed(error) {
      if (failures === 0) since = Date.now()
      failures += 1
      if (failures > FEW_FAILURES && Date.now() - since > giveUpAfterMs) throw error
    },
  }
}
