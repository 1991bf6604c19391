import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../errors.ts'

/**
 * Whether the bytes fit into the plan now. `partial`: more assets in the trash must be removed than one
 * transaction may remove, or other transactions have locked them. Commit, and try again.
 */
export type Room = 'made' | 'partial' | 'none'

const TIMEOUT_MS = 10_000
const PAUSE_MS = 10

/** Repeats a unit of work while its outcome is `partial`. Throws `EngineUnavailable` after `TIMEOUT_MS`. */
export async function retryWhilePartial<Result extends { outcome: string }>(
  work: () => Promise<Result | { outcome: 'partial' }>,
): Promise<Result> {
  const end = performance.now() + TIMEOUT_MS
  for (;;) {
    const result = await work()
    if (result.outcome !== 'partial') return result as Result
    if (performance.now() > end) {
      const cause = new Error(`could not remove enough trash within ${TIMEOUT_MS} ms`)
      throw new EngineUnavailable('database', cause)
    }
    await pause(PAUSE_MS)
  }
}
