import { setImmediate as nextTurn } from 'node:timers/promises'
import { createFairQueue } from '../../iterables/fair-queue.ts'

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

/** Runs one step of a long task. */
export type RunStep = <Result>(account: string, step: () => Result) => Promise<Result>

/**
 * The steps of all long tasks share one time slice per turn of the event loop, account by account, so that many
 * concurrent tasks delay other requests no more than one does.
 */
export function createStepQueue(): RunStep {
  const waiting = createFairQueue<() => void>()
  let isScheduled = false

  function runSlice(): void {
    const until = performance.now() + SLICE_MS
    while (waiting.size > 0) {
      waiting.takeNext()?.()
      if (performance.now() > until) break
    }
    isScheduled = waiting.size > 0
    if (isScheduled) setImmediate(runSlice)
  }

  return (account, step) =>
    new Promise((resolve, reject) => {
      waiting.add(account, () => {
        try {
          resolve(step())
        } catch (error) {
          reject(error)
        }
      })
      if (isScheduled) return
      isScheduled = true
      setImmediate(runSlice)
    })
}
