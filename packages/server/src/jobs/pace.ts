import { setTimeout as pause } from 'node:timers/promises'

export interface Rates {
  /** Bytes per second while the storage transfers nothing. */
  idle: number
  /** Bytes per second while clients upload or download. */
  busy: number
}

/** Shorter pauses cost more than they save. */
const MIN_PAUSE_MS = 5
/** After a time without reads, a burst is allowed, but for no longer than this. */
const MAX_BURST_MS = 50

/**
 * Returns a function that is called after bytes were read, and waits so that all its callers together read at a
 * bounded rate. Rejects when the signal is aborted.
 */
export function openPace(
  rates: Rates,
  { isBusy, signal }: { isBusy: () => boolean; signal: AbortSignal },
): (bytes: number) => Promise<void> {
  let freeAt = performance.now()
  return async (bytes) => {
    signal.throwIfAborted()
    const rate = isBusy() ? rates.busy : rates.idle
    const now = performance.now()
    freeAt = Math.max(freeAt, now - MAX_BURST_MS) + (bytes / rate) * 1000
    const waitMs = freeAt - now
    if (waitMs >= MIN_PAUSE_MS) await pause(waitMs, undefined, { signal })
  }
}
