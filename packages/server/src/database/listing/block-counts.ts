import type { Cursor } from '../../domain/cursor.ts'
import type { PageRequest } from '../../domain/paging.ts'

/**
 * How many assets of one account match one filter, block by block, and up to where that is known.
 * Calls that overlap each have the tally that they began with: it never changes, a new one is made.
 */
export interface Tally {
  /** Blocks beyond this revision, or beyond this id at this revision, are to be counted (again). */
  readonly revision: number
  readonly block: string
  /** Of each block, by its first id. */
  readonly matching: ReadonlyMap<string, number>
  readonly total: number
  /** The first ids in order, and how many match up to the end of each, once they were asked for. */
  order?: readonly string[] | undefined
  ends?: readonly number[] | undefined
}

export interface CountedBlock {
  first_id: string
  revision: number
  matching: number
}

/** Behind every id. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const EMPTY_TALLY: Tally = { revision: -1, block: LAST, matching: new Map(), total: 0 }

/**
 * Takes in the blocks that come next by revision and first id. When these are all that there are,
 * the tally is complete: whatever changes from then on has a higher revision.
 */
export function addToTally(tally: Tally, blocks: CountedBlock[], { areAll = false }): Tally {
  const last = blocks.at(-1)
  if (last === undefined) return areAll ? { ...tally, block: LAST } : tally
  const matching = new Map(tally.matching)
  let { total } = tally
  for (const block of blocks) {
    total += block.matching - (matching.get(block.first_id) ?? 0)
    matching.set(block.first_id, block.matching)
  }
  const next = { revision: last.revision, block: areAll ? LAST : last.first_id, matching, total }
  const isInOrder = tally.order !== undefined && matching.size === tally.matching.size
  return isInOrder ? { ...next, order: tally.order } : next
}

export function isComplete({ block }: Tally): boolean {
  return block === LAST
}

/** Whether more has been counted than for the other. */
export function isBeyond(tally: Tally, other: Tally): boolean {
  return (
    tally.revision > other.revision ||
    (tally.revision === other.revision && tally.block > other.block)
  )
}

/** The rows of a page, in the order of their ids, as a part of some blocks. */
export interface Place {
  /** The first id of the first of these blocks. */
  from: string
  /** The first id of the block behind the last of these; undefined when there is none. */
  until: string | undefined
  /** Whether the rows are nearer to the end of the blocks; then `offset` is counted from there. */
  isFromEnd: boolean
  offset: number
  limit: number
}

interface PageInOrder extends PageRequest {
  descending: boolean
  after?: Cursor
}

/** Where a page is, of the assets in the order of their ids or in the opposite one. */
export function placeOf(tally: Tally, wanted: PageInOrder): Place | undefined {
  const { page, perPage, descending, after } = wanted
  if (after !== undefined) return placeBehind(tally, { perPage, descending, id: after.id })
  const skipped = (page - 1) * perPage
  const limit = Math.min(perPage, tally.total - skipped)
  if (limit <= 0) return undefined
  const start = descending ? tally.total - skipped - limit : skipped
  const { order, ends } = inOrder(tally)
  const first = indexBeyond(ends, start)
  const last = indexBeyond(ends, start + limit - 1)
  const before = ends[first - 1] ?? 0
  const within = (ends[last] ?? 0) - before
  const offset = start - before
  const behind = within - offset - limit
  const isFromEnd = behind < offset
  return {
    from: order[first] ?? '',
    until: order[last + 1],
    isFromEnd,
    offset: isFromEnd ? behind : offset,
    limit,
  }
}

/** The blocks that have the next rows behind an id; those up to the id have to be left out of them. */
function placeBehind(
  tally: Tally,
  { id, perPage, descending }: { id: string; perPage: number; descending: boolean },
): Place | undefined {
  const { order, ends } = inOrder(tally)
  const own = order.findLastIndex((first) => first <= id)
  if (own < 0) return undefined
  const before = ends[own - 1] ?? 0
  const first = descending ? indexBeyond(ends, Math.max(0, before - perPage)) : own
  const last = descending ? own : indexBeyond(ends, (ends[own] ?? 0) + perPage - 1)
  return {
    from: order[Math.min(first, own)] ?? '',
    until: order[last + 1],
    isFromEnd: descending,
    offset: 0,
    limit: perPage,
  }
}

function inOrder(tally: Tally): { order: readonly string[]; ends: readonly number[] } {
  tally.order ??= [...tally.matching.keys()].sort()
  if (tally.ends === undefined) {
    let sum = 0
    tally.ends = tally.order.map((first) => {
      sum += tally.matching.get(first) ?? 0
      return sum
    })
  }
  return { order: tally.order, ends: tally.ends }
}

/** Of the first number that is greater, in numbers that never fall. */
function indexBeyond(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) > limit) high = middle
    else low = middle + 1
  }
  return low
}
