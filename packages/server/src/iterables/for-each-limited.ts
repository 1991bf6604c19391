/**
 * Runs `work` for each item, at most `limit` at a time. Once the signal is aborted no further item is
 * begun. Resolves when all that was begun is done; the first failure begins no further item, and is
 * thrown then.
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
        // It may have been aborted while this item was fetched.
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
