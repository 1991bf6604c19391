import { setTimeout as pause } from 'node:timers/promises'

const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100

/**
 * Waits for a condition of another process, and fails with `what` when it does not come true. What
 * takes long is asked for less often, so that asking is not what holds it up.
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
