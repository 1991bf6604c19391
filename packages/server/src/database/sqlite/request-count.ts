/**
 * One process holds the database, so its memory is the place to count in: a count in the file would
 * cost a synced commit per request.
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
