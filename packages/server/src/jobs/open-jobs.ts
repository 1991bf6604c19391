import type { Context } from '../operations/context.ts'
import { runJobs } from './run-jobs.ts'

const EVERY_MS = 15_000

export interface Jobs {
  /** Waits for a run in progress. */
  close(): Promise<void>
}

/**
 * Runs the jobs at once and then again and again. Where no other instance can be at work, nothing is
 * under way at the start, and every completion that is not finished was left behind.
 */
export function openJobs(context: Context, options: { isAlone: boolean }): Jobs {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function round(options: { stuckMs?: number }): Promise<void> {
    await runJobs(context, options)
    if (isClosed) return
    timer = setTimeout(() => {
      running = round({})
    }, EVERY_MS)
  }

  let running = round(options.isAlone ? { stuckMs: 0 } : {})
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}
