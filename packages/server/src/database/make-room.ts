import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../errors.ts'

/**
 * Whether the bytes fit into the plan now. `partial`: more assets of the trash must be removed than one
 * transaction may remove, or other transactions have locked them. Commit, and try again.
 */
export type Room = 'made' | 'partial' | 'none'

const TIMEOUT_MS = 10_000
const PAUSE_MS = 10

/** Repeats a unit of work while it has only made a part of the room that it needs. */
export async function untilRoomIsMade<Result extends { outcome: string }>(
  work: () => Promise<Result | { outcome: 'partial' }>,
): Promise<Result> {
  const end = performance.now() + TIMEOUT_MS
  for (;;) {
    const result = await work()
    if (result.outcome !== 'partial') return result as Result
    if (performance.now() > end) {
      const cause = new Error(`the trash did not make room within ${TIMEOUT_MS} ms`)
      throw new EngineUnavailable('database', cause)
    }
    await pause(PAUSE_MS)
  }
}
