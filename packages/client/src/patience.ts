/** How calls and parts that fail are tried again. */
export interface RetryOptions {
  /** The first pause, 500 ms by default. Each next one is twice as long, give or take. */
  firstMs?: number | undefined
  /** The longest pause, 20 s by default. */
  longestMs?: number | undefined
  /** An upload gives up after nothing has worked for so long; 30 minutes by default. */
  giveUpAfterMs?: number | undefined
}

const FEW_FAILURES = 8

/** Half of the pause is random, so that those who failed together don't come back together. */
export function pauseBefore(attempt: number, { firstMs = 500, longestMs = 20_000 }: RetryOptions) {
  const full = Math.min(longestMs, firstMs * 2 ** (attempt - 1))
  return full * (0.5 + Math.random() / 2)
}

export interface Patience {
  succeeded(): void
  /** Throws the error once it has gone on for too long, and too often. */
  failed(error: unknown): void
}

/** Nothing is given up while something still works now and then. */
export function createPatience({ giveUpAfterMs = 30 * 60_000 }: RetryOptions): Patience {
  let failures = 0
  let since = 0
  return {
    succeeded() {
      failures = 0
    },
    failed(error) {
      if (failures === 0) since = Date.now()
      failures += 1
      if (failures > FEW_FAILURES && Date.now() - since > giveUpAfterMs) throw error
    },
  }
}

/** Waits; an abort ends it with the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** What browsers and workers have of these; Node has no `onLine`. */
interface Surroundings {
  navigator?: { onLine?: boolean }
  addEventListener?(type: string, listener: () => void): void
  removeEventListener?(type: string, listener: () => void): void
}

const surroundings = () => globalThis as unknown as Surroundings

export function isOffline(): boolean {
  return surroundings().navigator?.onLine === false
}

/** Waits for the pause, or while offline for the line to return. */
export async function pauseOrOnline(ms: number, signal?: AbortSignal): Promise<void> {
  if (!isOffline()) return pause(ms, signal)
  const { addEventListener, removeEventListener } = surroundings()
  const back = new AbortController()
  const goOn = () => back.abort()
  addEventListener?.call(globalThis, 'online', goOn)
  const either = signal === undefined ? back.signal : AbortSignal.any([signal, back.signal])
  try {
    // Some systems never tell that the line is back: so it is tried now and then all the same.
    await pause(OFFLINE_MS, either).catch((reason: unknown) => {
      if (signal?.aborted) throw reason
    })
  } finally {
    removeEventListener?.call(globalThis, 'online', goOn)
  }
}

const OFFLINE_MS = 60_000
