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
