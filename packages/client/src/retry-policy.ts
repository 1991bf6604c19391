/** How calls and parts that fail are tried again. */
export interface RetryOptions {
  /**
   * How often one call is tried, 5 by default; 1 never retries. An upload goes by `giveUpAfterMs`
   * instead, once the service has answered at least once.
   */
  tries?: number | undefined
  /** The first pause, 500 ms by default. Each next one is twice as long, give or take. */
  firstMs?: number | undefined
  /** The longest pause, 20 s by default. */
  longestMs?: number | undefined
  /** An upload gives up after nothing has worked for so long; 30 minutes by default. */
  giveUpAfterMs?: number | undefined
}

const FEW_FAILURES = 8

/**
 * Half of the pause is random, so that those who failed together don't come back together. It is
 * never shorter than what the answer asked for, nor for that: who says 0 for an hour is not asked
 * without a pause for an hour.
 */
export function pauseBefore(
  attempt: number,
  { firstMs = 500, longestMs = 20_000 }: RetryOptions,
  askedMs = 0,
): number {
  const full = Math.min(longestMs, firstMs * 2 ** (attempt - 1))
  return Math.max(askedMs, full * (0.5 + Math.random() / 2))
}

export interface Patience {
  succeeded(): void
  /** Throws the error once it has gone on for too long, and too often. */
  failed(error: unknown): void
}

/** Nothing is given up while something still works now and then. */
export function createPatience({ giveUpAfterMs = 30 * 60_000 }: RetryOptions): Patience {
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

/** What browsers and workers have of these; Node has no `onLine`. */
interface Surroundings {
  navigator?: { onLine?: boolean }
  addEventListener?(type: string, listener: () => void): void
  removeEventListener?(type: string, listener: () => void): void
}

const surroundings = globalThis as unknown as Surroundings

export function isOffline(): boolean {
  return surroundings.navigator?.onLine === false
}

/** Some systems never tell that the line is back: so it is tried now and then all the same. */
const OFFLINE_MS = 60_000

/** Waits so long, or while offline for the line to return. An abort ends it with its reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      forget()
      surroundings.removeEventListener?.('online', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, isOffline() ? OFFLINE_MS : ms)
    const forget = onAbort(signal, end)
    if (isOffline()) surroundings.addEventListener?.('online', end)
  })
}

/** Calls it once the signal is aborted, in a later turn if it is already. The answer forgets it. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) queueMicrotask(listener)
  signal?.addEventListener('abort', listener)
  return () => signal?.removeEventListener('abort', listener)
}

/** Its result, unless the signal is aborted first: then it rejects with the signal's reason. */
export async function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let forget = () => {}
  const aborted = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(signal?.reason))
  })
  return Promise.race([promise, aborted]).finally(forget)
}
