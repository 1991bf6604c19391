import { setImmediate as nextTurn } from 'node:timers/promises'

/** The longest time that a long task blocks the event loop. */
const SLICE_MS = 5

/**
 * Returns a function for a long task to await between its steps. It yields to the event loop once the
 * task has run for a time slice.
 */
export function createTimeSlicer(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < SLICE_MS) return
    await nextTurn()
    since = performance.now()
  }
}
