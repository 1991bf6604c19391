import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../errors.ts'

/** The longest time that a call waits for the lock of another process. */
export const BUSY_LIMIT_MS = 10_000
export const BUSY_PAUSE_MS = 20

const BUSY = 5

/** SQLite's primary result codes for temporary failures, as opposed to wrong statements. */
const OUTAGES = new Set([
  BUSY,
  6, // locked
  8, // read-only
  10, // I/O error
  13, // disk full
  14, // can't open
])

/** https://www.sqlite.org/rescode.html: the low byte of an extended result code is the primary one. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

/** Whether another process holds the lock. The statement had no effect. */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === BUSY
}

/** Turns an outage into `EngineUnavailable`. Returns any other error unchanged. */
export function toOutage(error: unknown): unknown {
  const isOutage = OUTAGES.has(resultCodeOf(error) ?? 0)
  return isOutage ? new EngineUnavailable('database', error) : error
}

/**
 * Runs the work, and retries it while another process holds the lock, up to the limit. SQLite's own
 * busy timeout would block the event loop.
 */
export async function retryWhileBusy<Result>(work: () => Result): Promise<Awaited<Result>> {
  const since = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - since > BUSY_LIMIT_MS) throw error
      await pause(BUSY_PAUSE_MS)
    }
  }
}
