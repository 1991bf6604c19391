import { setTimeout as pause } from 'node:timers/promises'

/** How long a call waits in all for another process that holds the lock. */
export const BUSY_LIMIT_MS = 10_000
export const BUSY_PAUSE_MS = 20

const BUSY = 5

/** Another process holds the lock, and nothing was done. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === BUSY
  )
}

/**
 * Runs the work, again and again while another process holds the lock, up to the limit. SQLite's own
 * wait would block the event loop, and with it every other request.
 */
export async function retryWhileBusy<Result>(work: () => Result): Promise<Result> {
  const since = performance.now()
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - since > BUSY_LIMIT_MS) throw error
      await pause(BUSY_PAUSE_MS)
    }
  }
}
