/**
 * Runs `work` for each item, at most `limit` at a time. After an abort or a failure it starts no further
 * item. It always waits for the items that it has started; then it throws the first failure.
 */
export async function forEachLimited<Item>(
  items: AsyncIterable<Item>,
  { limit, signal }: { limit: number; signal: AbortSignal },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  let failure: { error: unknown } | undefined

  async function runWorker(): Promise<void> {
    try {
      while (!signal.aborted && failure === undefined) {
        const next = await iterator.next()
        // The signal may have been aborted while the item was fetched.
        if (next.done || signal.aborted) return
        await work(next.value)
      }
    } catch (error) {
      failure ??= { error }
    }
  }

  await Promise.all(Array.from({ length: limit }, runWorker))
  await iterator.return?.()
  if (failure !== undefined) throw failure.error
}
