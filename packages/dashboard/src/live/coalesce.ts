/** The events of one change arrive together. */
const FIRST_MS = 100

export interface Coalesced {
  (): void
  cancel(): void
}

/** Returns a function that calls `run` soon, but at most once per interval, however often it is called. */
export function coalesce(run: () => void, intervalMs: number): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined
  let nextAt = 0
  const call = () => {
    timer ??= setTimeout(
      () => {
        timer = undefined
        nextAt = Date.now() + intervalMs
        run()
      },
      Math.max(FIRST_MS, nextAt - Date.now()),
    )
  }
  return Object.assign(call, { cancel: () => clearTimeout(timer) })
}
