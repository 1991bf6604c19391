import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../operations/context.ts'

/** How many rows a job reads at a time, so that requests run in between. */
export const BATCH = 100

/**
 * Runs until nothing is due. After the signal is aborted it starts no further item, and resolves when the
 * started items are done.
 */
export type Job = (context: Context, signal: AbortSignal) => Promise<void>

/** Calls of `wake` within this time end one wait, so that a burst of changes needs few queries. */
const COALESCED_MS = 20

/** Lets a loop wait until there is work to do. A call while the loop works is not lost: the next wait ends at once. */
export interface WakeUp {
  wake(): void
  /** Waits for a call of `wake`, for at most this time, or until the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export function createWakeUp(): WakeUp {
  let isAwake = false
  let stopWaiting = () => {}
  return {
    wake() {
      if (isAwake) return
      isAwake = true
      stopWaiting()
    },
    async wait(milliseconds, signal) {
      if (!isAwake && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        stopWaiting = () => resolve()
        const timer = setTimeout(stopWaiting, milliseconds)
        signal.addEventListener('abort', stopWaiting)
        await promise
        clearTimeout(timer)
        signal.removeEventListener('abort', stopWaiting)
      }
      // The pause rejects if the signal is aborted.
      if (isAwake) await pause(COALESCED_MS, undefined, { signal }).catch(() => {})
      isAwake = false
    },
  }
}
