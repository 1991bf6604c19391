/**
 * Whether the bytes fit into the plan now. `partial`: assets of the trash were removed, but the bytes need more
 * than one transaction may remove. Commit, and try again.
 */
export type Room = 'made' | 'partial' | 'none'

/** Repeats a unit of work while it has only made a part of the room that it needs. */
export async function untilRoomIsMade<Result extends { outcome: string }>(
  work: () => Promise<Result | { outcome: 'partial' }>,
): Promise<Result> {
  for (;;) {
    const result = await work()
    if (result.outcome !== 'partial') return result as Result
  }
}
