import type { Context } from '../operations/context.ts'
import { type Round, runJobs } from './run-jobs.ts'

const EVERY_MS = 15_000
/** Orphans are rare and harmless, and looking for them lists all that is open in the storage. */
const ORPHANS_EVERY_MS = 3_600_000

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
  let orphansLookedForAt = performance.now()

  async function run(round: Round): Promise<void> {
    await runJobs(context, round)
    if (isClosed) return
    timer = setTimeout(() => {
      const withOrphans = performance.now() - orphansLookedForAt > ORPHANS_EVERY_MS
      if (withOrphans) orphansLookedForAt = performance.now()
      running = run({ withOrphans })
    }, EVERY_MS)
  }

  let running = run(options.isAlone ? { stuckMs: 0 } : {})
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}
