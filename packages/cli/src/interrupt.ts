/** The exit code after a signal: 128 + SIGINT. */
export const INTERRUPTED = 130

/** The reason of the aborted signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

interface Interruption {
  signal: AbortSignal
  close(): void
}

/** The first Ctrl-C aborts the signal, so that the command can finish cleanly. A second one exits immediately. */
export function onInterrupt(): Interruption {
  const first = new AbortController()

  function stop(name: NodeJS.Signals): void {
    // nohup ignores SIGHUP, but Node resets that. Without a terminal, SIGHUP is ignored here.
    if (name === 'SIGHUP' && !hasTerminal()) return
    if (first.signal.aborted) process.exit(INTERRUPTED)
    first.abort(new Interrupted('interrupted'))
  }

  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  return {
    signal: first.signal,
    close() {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}

function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
}
