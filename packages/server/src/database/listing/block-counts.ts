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
export function isAhead(counts: BlockCounts, other: BlockCounts): boolean {
  return (
    counts.revision > other.revision ||
    (counts.revision === other.revision && counts.block > other.block)
  )
}
