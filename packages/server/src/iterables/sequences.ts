/** The items of both sides with the same key; at least one is defined. */
export interface Pair<Left, Right> {
  key: string
  left: Left | undefined
  right: Right | undefined
}

/** Merges two sequences that are sorted by their keys. Holds one item of each in memory. */
export async function* mergeByKey<Left, Right>(
  lefts: AsyncIterable<Left>,
  rights: AsyncIterable<Right>,
  keys: { left: (item: Left) => string; right: (item: Right) => string },
): AsyncIterable<Pair<Left, Right>> {
  const [leftItems, rightItems] = [lefts[Symbol.asyncIterator](), rights[Symbol.asyncIterator]()]
  let left = await leftItems.next()
  let right = await rightItems.next()
  while (!left.done || !right.done) {
    const leftKey = left.done ? undefined : keys.left(left.value)
    const rightKey = right.done ? undefined : keys.right(right.value)
    const key = smaller(leftKey, rightKey)
    const takesLeft = leftKey === key
    const takesRight = rightKey === key
    yield {
      key,
      left: takesLeft ? left.value : undefined,
      right: takesRight ? right.value : undefined,
    }
    if (takesLeft) left = await leftItems.next()
    if (takesRight) right = await rightItems.next()
  }
}

function smaller(one: string | undefined, other: string | undefined): string {
  if (one === undefined) return other ?? ''
  return other === undefined || one < other ? one : other
}

/** Groups the items into batches of `size`; the last may be shorter. */
export async function* inBatches<Item>(
  items: AsyncIterable<Item>,
  size: number,
): AsyncIterable<Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
