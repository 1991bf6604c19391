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

/** Rejects when the signal is aborted. */
export type Pace = (bytes: number, signal: AbortSignal) => Promise<void>

/**
 * Returns a function that is called after bytes were read, and waits so that all its callers together read at a
 * bounded rate.
 */
export function createPace(rates: Rates, isBusy: () => boolean): Pace {
  let freeAt = performance.now()
  return async (bytes, signal) => {
    signal.throwIfAborted()
    const rate = isBusy() ? rates.busy : rates.idle
    const now = performance.now()
    freeAt = Math.max(freeAt, now - MAX_BURST_MS) + (bytes / rate) * 1000
    const waitMs = freeAt - now
    if (waitMs >= MIN_PAUSE_MS) await pause(waitMs, undefined, { signal })
  }
}
