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

type InSlot = <Result>(task: () => Promise<Result>) => Promise<Result>

/** After the first failure, tasks that have not started fail with the same error. */
export function stopAfterFailure(inSlot: InSlot): InSlot {
  let failure: { error: unknown } | undefined
  return (task) =>
    inSlot(async () => {
      if (failure !== undefined) throw failure.error
      try {
        return await task()
      } catch (error) {
        failure ??= { error }
        throw error
      }
    })
}

/** Waits for all tasks, even if one fails, so that nothing runs after it has thrown. */
export async function settleAll(tasks: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(tasks)) {
    if (result.status === 'rejected') throw result.reason
  }
}
