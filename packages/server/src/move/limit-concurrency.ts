/** Runs at most so many works at once; the others wait in line. */
export function limitConcurrency(count: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running === count) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // Whoever is next takes the place over.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

type InSlot = <Result>(work: () => Promise<Result>) => Promise<Result>

/** After the first failure, what has not begun does not begin. */
export function stopAfterFailure(inSlot: InSlot): InSlot {
  let failure: { error: unknown } | undefined
  return (work) =>
    inSlot(async () => {
      if (failure !== undefined) throw failure.error
      try {
        return await work()
      } catch (error) {
        failure ??= { error }
        throw error
      }
    })
}

/** Waits for all of them, also when one fails: nothing goes on behind the back of who is told. */
export async function settleAll(works: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) {
    if (result.status === 'rejected') throw result.reason
  }
}
