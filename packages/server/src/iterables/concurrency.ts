/** Runs at most `count` tasks at the same time, and queues the others. */
export function limitConcurrency(count: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (running === count) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await task()
    } finally {
      // The next task takes over the slot.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

/**
 * Runs at most `count` tasks at the same time, and one of each group. The groups take turns, so that one with many tasks
 * does not delay the others.
 */
export function takeTurns(count: number) {
  const waiting = new Map<string, (() => void)[]>()
  const running = new Set<string>()

  function startNext(): void {
    for (const [group, starts] of waiting) {
      if (running.size === count) return
      if (running.has(group)) continue
      running.add(group)
      // A map is in the order of insertion: the group goes to the end.
      waiting.delete(group)
      starts.shift()?.()
      if (starts.length > 0) waiting.set(group, starts)
    }
  }

  return async <Result>(group: string, task: () => Promise<Result>): Promise<Result> => {
    await new Promise<void>((resolve) => {
      const starts = waiting.get(group)
      if (starts === undefined) waiting.set(group, [resolve])
      else starts.push(resolve)
      startNext()
    })
    try {
      return await task()
    } finally {
      running.delete(group)
      startNext()
    }
  }
}

type InSlot = <Result>(task: () => Promise<Result>) => Promise<Result>

/** The task was not started, because another task had failed. It is not the reason of any failure. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
}

/** After the first failure that `isFatal` accepts, tasks that have not started fail with `NotStarted`. */
export function stopAfterFailure(inSlot: InSlot, isFatal: (error: unknown) => boolean): InSlot {
  let failure: { cause: unknown } | undefined
  return (task) =>
    inSlot(async () => {
      if (failure !== undefined) throw new NotStarted('another task has failed', failure)
      try {
        return await task()
      } catch (error) {
        if (isFatal(error)) failure ??= { cause: error }
        throw error
      }
    })
}

/**
 * Waits for all tasks, even if one fails, so that nothing runs after it has thrown. Throws the error of the first task
 * that failed; `NotStarted` only if there is no other error.
 */
export async function settleAll(tasks: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(tasks)
  const failures = results.filter((result) => result.status === 'rejected')
  const failure = failures.find(({ reason }) => !(reason instanceof NotStarted)) ?? failures[0]
  if (failure !== undefined) throw failure.reason
}

/**
 * Runs `work` for each item, at most `limit` at a time. After an abort or a failure it starts no further
 * item. It always waits for the items that it has started; then it throws the first failure.
 */
export async function forEachLimited<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { limit, signal }: { limit: number; signal: AbortSignal },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator =
    Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
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
