import { setTimeout as pause } from 'node:timers/promises'

const MIN_PAUSE_MS = 10
const MAX_PAUSE_MS = 100

/**
 * Polls until the condition is true, and fails after the timeout. The polling interval grows with the time
 * waited, so that polling does not slow down the work it waits for. `description` is a sentence, such as
 * `the service is ready`.
 */
export async function until(
  description: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 60_000,
): Promise<void> {
  const begin = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - begin
    if (waitedMs > timeoutMs)
      throw new Error(`Timed out after ${timeoutMs / 1000} s waiting until ${description}`)
    await pause(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS + waitedMs / 20))
  }
}
