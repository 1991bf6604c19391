import { setTimeout as pause } from 'node:timers/promises'

/** Waits for a condition of another process, and fails with `what` when it does not come true. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await pause(20)
  }
}
