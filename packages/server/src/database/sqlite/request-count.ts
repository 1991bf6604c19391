import { WINDOW_KEPT_MS } from '../window-kept.ts'

/**
 * Counts in memory: only one process serves requests, and a count in the file would need a synced
 * commit per request.
 */
export function countRequestsInMemory() {
  const windows = new Map<number, Map<string, number>>()

  function startWindow(start: number): Map<string, number> {
    for (const earlier of windows.keys()) {
      if (earlier < start - WINDOW_KEPT_MS) windows.delete(earlier)
    }
    const counts = new Map<string, number>()
    windows.set(start, counts)
    return counts
  }

  return (
    { keyId, group, limit }: { keyId: string; group: string; limit: number },
    windowStart: Date,
  ) => {
    const start = windowStart.getTime()
    const counts = windows.get(start) ?? startWindow(start)
    const countOne = (who: string) => {
      const count = (counts.get(who) ?? 0) + 1
      counts.set(who, count)
      return count
    }
    const ofKey = countOne(keyId)
    return { ofKey, ofGroup: ofKey > limit ? (counts.get(group) ?? 0) : countOne(group) }
  }
}
