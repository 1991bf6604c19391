/** The part of the global object that is used here. Node has neither `onLine` nor these events. */
interface Environment {
  navigator?: { onLine?: boolean }
  addEventListener?(type: string, listener: () => void): void
  removeEventListener?(type: string, listener: () => void): void
}

const environment = globalThis as unknown as Environment

export function isOffline(): boolean {
  return environment.navigator?.onLine === false
}

/** Some systems never report that the network is back, so a pause ends after this time. */
const OFFLINE_MS = 60_000

/** Waits for the time, or while offline until the network is back. Rejects with the reason of an abort. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      removeListener()
      environment.removeEventListener?.('online', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, isOffline() ? OFFLINE_MS : ms)
    const removeListener = onAbort(signal, end)
    if (isOffline()) environment.addEventListener?.('online', end)
  })
}

/**
 * Calls the listener once the signal is aborted; if it is already, in a microtask. The returned function
 * removes the listener.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) queueMicrotask(listener)
  signal?.addEventListener('abort', listener)
  return () => signal?.removeEventListener('abort', listener)
}

/** Settles like the promise, or rejects with the signal's reason if the signal is aborted first. */
export async function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let removeListener = () => {}
  const aborted = new Promise<never>((_, reject) => {
    removeListener = onAbort(signal, () => reject(signal?.reason))
  })
  return Promise.race([promise, aborted]).finally(removeListener)
}
