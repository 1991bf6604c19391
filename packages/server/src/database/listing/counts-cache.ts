import { EMPTY_TALLY, isBeyond, type Tally } from './block-counts.ts'
import { openMemory } from './lru-cache.ts'

const MOST_BYTES = 32_000_000
/** Its first id, and its place in a map and two lists. */
const BLOCK_BYTES = 150

/** The tallies that were asked for lately, by account and filter. */
export function openTallies() {
  const memory = openMemory<Tally>({
    mostBytes: MOST_BYTES,
    bytesOf: ({ matching }) => BLOCK_BYTES * matching.size,
  })
  const counting = new Map<string, Promise<void>>()
  const keyOf = (account: string, filter: string) => `${account} ${filter}`

  return {
    find: (account: string, filter: string): Tally =>
      memory.find(keyOf(account, filter)) ?? EMPTY_TALLY,

    /** Others may have counted meanwhile: whoever got further is kept. */
    keep(account: string, filter: string, tally: Tally): void {
      const key = keyOf(account, filter)
      if (!isBeyond(memory.find(key) ?? EMPTY_TALLY, tally)) memory.keep(key, tally)
    },

    /** Of those who would do the same long count at once, one does, and the others wait for it. */
    async countOnce(account: string, filter: string, count: () => Promise<void>): Promise<void> {
      const key = keyOf(account, filter)
      const running = counting.get(key) ?? count().finally(() => counting.delete(key))
      counting.set(key, running)
      await running
    },
  }
}

export type Tallies = ReturnType<typeof openTallies>
