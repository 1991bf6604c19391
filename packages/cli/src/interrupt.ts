/** As programs end that a signal has ended. */
export const INTERRUPTED = 130

/** What the work is aborted with. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Interruption {
  signal: AbortSignal
  /**
   * Whether a second Ctrl-C came, or comes in this time. Not SIGTERM nor SIGHUP, before it or in its
   * place: they mean that somebody is in a hurry.
   */
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
  const second = Promise.withResolvers<boolean>()
  let stops = 0

  function stop(name: NodeJS.Signals): void {
    // Node undoes what nohup asks for; whoever has no terminal can't lose it.
    if (name === 'SIGHUP' && !hasTerminal()) return
    stops += 1
    if (stops > (twice ? 2 : 1)) process.exit(INTERRUPTED)
    if (stops === 2 || name !== 'SIGINT') second.resolve(name === 'SIGINT')
    first.abort(new Interrupted('interrupted'))
  }

  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  return {
    signal: first.signal,
    async again(withinMs) {
      const timer = setTimeout(() => second.resolve(false), withinMs)
      return second.promise.finally(() => clearTimeout(timer))
    },
    close() {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}

function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
}
