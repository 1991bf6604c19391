import type { Cursor } from '../../domain/cursor.ts'
import type { PageRequest } from '../../domain/paging.ts'
import type { BlockCounts } from './block-counts.ts'

/** The blocks that contain a page, and the page's position in them. */
export interface PageLocation {
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
