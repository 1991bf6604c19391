/** As programs end that a signal has ended. */
export const INTERRUPTED = 130

/** What the work is aborted with. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Interruption {
  signal: AbortSignal
  /** Whether a second Ctrl-C came, or comes in this time. Never after SIGTERM: somebody is in a hurry. */
  again(withinMs: number): Promise<boolean>
  close(): void
}

export interface InterruptOptions {
  /** Until the third Ctrl-C ends it at once; else the second does. */
  twice?: boolean
}

/** The first Ctrl-C aborts the signal, so that the work ends in order. */
export function onInterrupt({ twice = false }: InterruptOptions = {}): Interruption {
  const first = new AbortController()
  const second = new AbortController()
  let isHurried = false

  function stop(name: NodeJS.Signals): void {
    // Node undoes what nohup asks for; whoever has no terminal can't lose it.
    if (name === 'SIGHUP' && !hasTerminal()) return
    const isLast = twice ? second.signal.aborted : first.signal.aborted
    if (isLast) process.exit(INTERRUPTED)
    if (first.signal.aborted) second.abort()
    else isHurried = name !== 'SIGINT'
    first.abort(new Interrupted('interrupted'))
  }

  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  return {
    signal: first.signal,
    again(withinMs) {
      if (isHurried || second.signal.aborted) return Promise.resolve(second.signal.aborted)
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), withinMs)
        second.signal.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve(true)
        })
      })
    },
    close() {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}

function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
}

/** Waits no longer than until the interruption; what it waited for may still go on. */
export function unlessInterrupted<Answer>(
  work: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
