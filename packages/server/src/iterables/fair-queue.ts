/** Items that wait, such as requests. They are taken party by party, and those of one party in their order. */
interface FairQueue<Item> {
  /** The number of parties with items. */
  readonly size: number
  add(party: string, item: Item): void
  /** Removes the first item of the party whose turn it is. Its other items wait until all other parties had a turn. */
  takeNext(): Item | undefined
  /** Makes an item that was taken the first of its party again. */
  putBack(party: string, item: Item): void
  /** How many items of the party wait. */
  count(party: string): number
  /** Removes the items that match. */
  remove(isRemoved: (item: Item) => boolean): void
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** The party whose turn it is comes first. */
  const waiting = new Map<string, Item[]>()

  return {
    get size() {
      return waiting.size
    },

    add(party, item) {
      const items = waiting.get(party)
      if (items === undefined) waiting.set(party, [item])
      else items.push(item)
    },

    takeNext() {
      for (const [party, items] of waiting) {
        const item = items.shift()
        waiting.delete(party)
        if (items.length > 0) waiting.set(party, items)
        return item
      }
      return undefined
    },

    putBack(party, item) {
      const items = waiting.get(party)
      if (items === undefined) waiting.set(party, [item])
      else items.unshift(item)
    },

    count: (party) => waiting.get(party)?.length ?? 0,

    remove(isRemoved) {
      for (const [party, items] of waiting) {
        const others = items.filter((item) => !isRemoved(item))
        if (others.length === 0) waiting.delete(party)
        else waiting.set(party, others)
      }
    },
  }
}
