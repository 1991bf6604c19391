import { setImmediate as nextTurn } from 'node:timers/promises'

/** So long others wait for a piece of long work. */
const SLICE_MS = 5

/** Makes a function for long work to await between its steps: it lets others run once a slice is over. */
export function createPauses(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < SLICE_MS) return
    await nextTurn()
    since = performance.now()
  }
}
