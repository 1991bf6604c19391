/** Which events of an account are forgotten. */
export interface EventLimits {
  /**
   * Events that were recorded before this time are forgotten, unless a pending delivery needs them. Undefined: their
   * age does not matter.
   */
  before: Date | undefined
  /** The oldest events are forgotten until the rest has at most this many bytes. Undefined: see `budgetOf`. */
  maxBytes: number | undefined
}

export interface TrimmedEvents {
  /** How many events were forgotten. */
  forgotten: number
  /** Whether there are more events to count or to forget. */
  hasMore: boolean
}

/** Each event counts as its data, and as this many bytes for its other columns and its entries in the indexes. */
export const EVENT_OVERHEAD = 200

const MIN_BUDGET = 1_000_000_000

/** By default, the events of an account may use 1 % of its plan, but at least 1 GB. */
export function budgetOf(maxBytes: number | undefined, planStorage: number): number {
  return maxBytes ?? Math.max(MIN_BUDGET, Math.floor(planStorage / 100))
}

/** The counters of an account, which holds its row while they are used. */
export interface EventCounters {
  lastId: number
  countedId: number
  bytes: number
  planStorage: number
  /** The first event that a pending delivery needs. */
  neededId: number | null
}

export interface EventSize {
  id: number
  createdAt: number
  bytes: number
}

/** Adds the next events to the counters. `sizes` has the events after `countedId`, at most `batch`. */
export function countEvents(
  { countedId, bytes, ...counters }: EventCounters,
  sizes: Pick<EventSize, 'id' | 'bytes'>[],
  batch: number,
): EventCounters {
  return {
    ...counters,
    countedId: (sizes.length < batch ? undefined : sizes.at(-1)?.id) ?? counters.lastId,
    bytes: sizes.reduce((sum, size) => sum + size.bytes, bytes),
  }
}

/**
 * How many of the oldest events are forgotten, in the order of their IDs, and how many bytes they have. `latest`: an
 * event with a later time was recorded by a wrong clock, and counts as due.
 */
export function selectForgotten(
  counters: EventCounters,
  oldest: EventSize[],
  { before, latest, budget }: { before: Date | undefined; latest: number; budget: number },
): { count: number; bytes: number } {
  const { countedId, neededId } = counters
  const selected = { count: 0, bytes: 0 }
  for (const { id, createdAt, bytes } of oldest) {
    const isOld = before !== undefined && (createdAt < before.getTime() || createdAt > latest)
    const isDue = isOld && id < (neededId ?? id + 1)
    const isExcess = counters.bytes - selected.bytes > budget
    if (id > countedId || !(isDue || isExcess)) break
    selected.count += 1
    selected.bytes += bytes
  }
  return selected
}
