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

/** Runs one step of a long task. */
export type RunStep = <Result>(account: string, step: () => Result) => Promise<Result>

/**
 * The steps of all long tasks share one time slice per turn of the event loop, account by account, so that many
 * concurrent tasks delay other requests no more than one does.
 */
export function createStepQueue(): RunStep {
  /** The first account is served next, and then moves to the end. */
  const waiting = new Map<string, (() => void)[]>()
  let isScheduled = false

  function runSlice(): void {
    const until = performance.now() + SLICE_MS
    while (waiting.size > 0) {
      takeNext()?.()
      if (performance.now() > until) break
    }
    isScheduled = waiting.size > 0
    if (isScheduled) setImmediate(runSlice)
  }

  function takeNext(): (() => void) | undefined {
    for (const [account, steps] of waiting) {
      const step = steps.shift()
      waiting.delete(account)
      if (steps.length > 0) waiting.set(account, steps)
      return step
    }
    return undefined
  }

  return (account, step) =>
    new Promise((resolve, reject) => {
      const steps = waiting.get(account) ?? []
      steps.push(() => {
        try {
          resolve(step())
        } catch (error) {
          reject(error)
        }
      })
      waiting.set(account, steps)
      if (isScheduled) return
      isScheduled = true
      setImmediate(runSlice)
    })
}
