import { setTimeout as pause } from 'node:timers/promises'

const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100

/**
 * Polls until the condition is true, and fails with `what` after the timeout. The polling interval grows
 * with the time waited, so that polling does not slow down what it waits for.
 */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 20_000,
): Promise<void> {
  const begin = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - begin
    if (waitedMs > timeoutMs) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await pause(Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS + waitedMs / 20))
  }
}
