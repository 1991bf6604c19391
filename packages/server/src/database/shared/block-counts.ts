import type { Cursor, PageRequest } from '../../domain/paging.ts'
import { openLruCache } from './lru-cache.ts'

/**
 * The number of an account's assets that match a filter, for each block of the listing, and which blocks
 * are counted so far. Immutable: a concurrent call keeps the counts that it started with.
 */
export interface BlockCounts {
  /** Blocks with a higher revision, or with this revision and a first ID above `block`, are not counted yet. */
  readonly revision: number
  readonly block: string
  /** Matches by the first ID of the block. */
  readonly matching: ReadonlyMap<string, number>
  readonly total: number
  /** The sorted first IDs, and the running totals in that order. Computed on first use. */
  order?: readonly string[] | undefined
  ends?: readonly number[] | undefined
}

export interface CountedBlock {
  first_id: string
  revision: number
  matching: number
}

/** Blocks that one statement or transaction counts, to keep it short. */
export const BLOCKS_PER_STATEMENT = 100

/** Sorts after every ID. */
export const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const EMPTY_COUNTS: BlockCounts = {
  revision: -1,
  block: MAX_ID,
  matching: new Map(),
  total: 0,
}

/**
 * Adds the next blocks, ordered by revision and first ID. With `areAll` no other block remains, and the
 * counts are complete: every later change has a higher revision.
 */
export function addBlocks(
  counts: BlockCounts,
  blocks: CountedBlock[],
  { areAll = false },
): BlockCounts {
  const last = blocks.at(-1)
  if (last === undefined) return areAll ? { ...counts, block: MAX_ID } : counts
  const matching = new Map(counts.matching)
  let { total } = counts
  for (const block of blocks) {
    total += block.matching - (matching.get(block.first_id) ?? 0)
    matching.set(block.first_id, block.matching)
  }
  const block = areAll ? MAX_ID : last.first_id
  const next = { revision: last.revision, block, matching, total }
  const hasSameBlocks = counts.order !== undefined && matching.size === counts.matching.size
  return hasSameBlocks ? { ...next, order: counts.order } : next
}

export function isComplete({ block }: BlockCounts): boolean {
  return block === MAX_ID
}

/** Whether `counts` includes more than `other`. */
function isAhead(counts: BlockCounts, other: BlockCounts): boolean {
  return (
    counts.revision > other.revision ||
    (counts.revision === other.revision && counts.block > other.block)
  )
}

/** The blocks that contain a page, and the page's position in them. */
interface PageLocation {
  /** The first ID of the first block. */
  from: string
  /** The first ID of the block after the last one; undefined at the end of the listing. */
  until: string | undefined
  /** Whether `offset` counts from the end of the blocks. */
  isFromEnd: boolean
  offset: number
  limit: number
}

interface OrderedPageRequest extends PageRequest {
  descending: boolean
  after?: Cursor
}

/** Locates a page of the assets ordered by ID; undefined when the page is empty. */
export function locatePage(
  counts: BlockCounts,
  request: OrderedPageRequest,
): PageLocation | undefined {
  const { page, perPage, descending, after } = request
  if (after !== undefined) return locateAfter(counts, { perPage, descending, id: after.id })
  const skipped = (page - 1) * perPage
  const limit = Math.min(perPage, counts.total - skipped)
  if (limit <= 0) return undefined
  const start = descending ? counts.total - skipped - limit : skipped
  const { order, ends } = inOrder(counts)
  const first = indexAbove(ends, start)
  const last = indexAbove(ends, start + limit - 1)
  const before = ends[first - 1] ?? 0
  const within = (ends[last] ?? 0) - before
  const offset = start - before
  const remaining = within - offset - limit
  const isFromEnd = remaining < offset
  return {
    from: order[first] ?? '',
    until: order[last + 1],
    isFromEnd,
    offset: isFromEnd ? remaining : offset,
    limit,
  }
}

/**
 * Locates the blocks that contain the next rows after an ID, in the sort order. The block of the ID may also
 * contain earlier rows, which the caller must exclude.
 */
function locateAfter(
  counts: BlockCounts,
  { id, perPage, descending }: { id: string; perPage: number; descending: boolean },
): PageLocation | undefined {
  const { order, ends } = inOrder(counts)
  const own = order.findLastIndex((first) => first <= id)
  if (own < 0) return undefined
  const before = ends[own - 1] ?? 0
  const first = descending ? indexAbove(ends, Math.max(0, before - perPage)) : own
  const last = descending ? own : indexAbove(ends, (ends[own] ?? 0) + perPage - 1)
  return {
    from: order[Math.min(first, own)] ?? '',
    until: order[last + 1],
    isFromEnd: descending,
    offset: 0,
    limit: perPage,
  }
}

function inOrder(counts: BlockCounts): { order: readonly string[]; ends: readonly number[] } {
  counts.order ??= [...counts.matching.keys()].sort()
  if (counts.ends === undefined) {
    let sum = 0
    counts.ends = counts.order.map((first) => {
      sum += counts.matching.get(first) ?? 0
      return sum
    })
  }
  return { order: counts.order, ends: counts.ends }
}

/** The index of the first number above the limit, by binary search in ascending numbers. */
function indexAbove(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) > limit) high = middle
    else low = middle + 1
  }
  return low
}

const MAX_BYTES = 32_000_000
/** Estimated memory per block: its first ID, and its entries in the map and the two arrays. */
const BLOCK_BYTES = 150

/** Caches block counts by account and filter. */
export function openCountsCache() {
  const cache = openLruCache<BlockCounts>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ matching }) => BLOCK_BYTES * matching.size,
  })
  const counting = new Map<string, Promise<void>>()
  const keyOf = (account: string, filter: string) => `${account} ${filter}`

  return {
    get: (account: string, filter: string): BlockCounts =>
      cache.get(keyOf(account, filter)) ?? EMPTY_COUNTS,

    /** Ignores the counts if a concurrent call stored newer ones. */
    set(account: string, filter: string, counts: BlockCounts): void {
      const key = keyOf(account, filter)
      if (!isAhead(cache.get(key) ?? EMPTY_COUNTS, counts)) cache.set(key, counts)
    },

    /** Runs `count`, or waits for the run that another call with the same filter has started. */
    async countOnce(account: string, filter: string, count: () => Promise<void>): Promise<void> {
      const key = keyOf(account, filter)
      const running = counting.get(key) ?? count().finally(() => counting.delete(key))
      counting.set(key, running)
      await running
    },
  }
}

export type CountsCache = ReturnType<typeof openCountsCache>
