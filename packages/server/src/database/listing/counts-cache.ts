import { type BlockCounts, EMPTY_COUNTS, isAhead } from './block-counts.ts'
import { openLruCache } from './lru-cache.ts'

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
