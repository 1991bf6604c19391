import { isStowageError } from '@stowage/client'

/** Whether the service did not respond, or responded with an error that may be temporary: a retry can succeed. */
export function isUnreachable(error: unknown): boolean {
  if (!isStowageError(error)) return false
  const { code, status } = error
  return code === 'network' || code === 'timeout' || [429, 500, 502, 503, 504].includes(status)
}

const RETRY_MS = 3_000

/**
 * Repeats the call until the service can be reached. Rejects with other errors, and with the signal's
 * reason when it is aborted.
 */
export async function whenReachable<Result>(
  call: () => Promise<Result>,
  { signal, onWait }: { signal: AbortSignal; onWait(): void },
): Promise<Result> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      signal.throwIfAborted()
      if (!isUnreachable(error)) throw error
      onWait()
      await pause(signal)
    }
  }
}

/** Ends early when the browser is online again. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = new AbortController()
    const end = (settle: () => void) => () => {
      clearTimeout(timer)
      stop.abort()
      settle()
    }
    const timer = setTimeout(end(resolve), RETRY_MS)
    addEventListener('online', end(resolve), { signal: stop.signal })
    signal.addEventListener(
      'abort',
      end(() => reject(signal.reason)),
      { signal: stop.signal },
    )
  })
}
