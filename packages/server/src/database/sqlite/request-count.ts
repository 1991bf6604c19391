/**
 * Counts in memory: only one process uses the database, and a count in the file would need a synced
 * commit per request.
 */
export function countRequestsInMemory() {
  let counts = new Map<string, number>()
  let window = 0
  return (who: string, windowStart: Date): number => {
    if (windowStart.getTime() !== window) {
      counts = new Map()
      window = windowStart.getTime()
    }
    const count = (counts.get(who) ?? 0) + 1
    counts.set(who, count)
    return count
  }
}
