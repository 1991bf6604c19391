/** The exit code after a signal: 128 + SIGINT. */
export const INTERRUPTED = 130

/** The reason of the aborted signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Interruption {
  signal: AbortSignal
  /**
   * Whether a second Ctrl-C has arrived or arrives within this time. SIGTERM and SIGHUP end the wait
   * with false.
   */
  again(withinMs: number): Promise<boolean>
  close(): void
}

export interface InterruptOptions {
  /** The third Ctrl-C exits immediately. By default, the second one does. */
  twice?: boolean
}

/** The first Ctrl-C aborts the signal, so that the command can finish cleanly. */
export function onInterrupt({ twice = false }: InterruptOptions = {}): Interruption {
  const first = new AbortController()
  const second = Promise.withResolvers<boolean>()
  let stops = 0

  function stop(name: NodeJS.Signals): void {
    // nohup ignores SIGHUP, but Node resets that. Without a terminal, SIGHUP is ignored here.
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
