import { setTimeout as pause } from 'node:timers/promises'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config/config.ts'
import { EngineUnavailable } from '../domain/errors.ts'

/** The number of pino’s level `error`. */
const ERROR = 50

/** The log has no headers today. If it ever has them, these must not appear. */
const REDACTED = ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]']

/** Writes JSON lines to standard error; formatted lines if it is a terminal. */
export async function openLog(level: LogLevel): Promise<Logger> {
  const options = { level, base: null, redact: REDACTED }
  return pino(options, await destination())
}

async function destination(): Promise<DestinationStream> {
  const standardError = pino.destination({ dest: 2, sync: true })
  if (!process.stderr.isTTY) return inBatches(standardError)
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    destination: standardError,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  })
}

/**
 * A message for the person who runs the service. On a terminal it is a plain line, as of every command; in a log that
 * programs read, it is a line of the log.
 */
export function announce(logger: Logger, level: 'info' | 'warn', message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`stowage: ${message}\n`)
  else logger[level](message)
}

type Engine = EngineUnavailable['engine']

export interface OutageWatch {
  /** Call it with every error that was logged. Other errors than outages are ignored. */
  notice(error: unknown): void
  close(): void
}

/** How often an engine is checked during an outage. */
const CHECK_PAUSE_MS = 1_000

/**
 * Logs once when an engine is available again after an outage. An engine is checked when a call has failed because of it.
 * If it responds, the failure was no outage, such as a deadlock. Otherwise it is checked every second until it responds.
 */
export function watchOutages(
  logger: Logger,
  check: (engine: Engine) => Promise<void>,
): OutageWatch {
  const stop = new AbortController()
  const watched = new Set<Engine>()

  /** Calls that need the engine log why it is unavailable. */
  const isAvailable = (engine: Engine) =>
    check(engine).then(
      () => true,
      () => false,
    )

  async function untilAvailable(engine: Engine): Promise<void> {
    const since = performance.now()
    let isOutage = false
    while (!(await isAvailable(engine))) {
      isOutage = true
      await pause(CHECK_PAUSE_MS, undefined, { signal: stop.signal, ref: false })
    }
    watched.delete(engine)
    if (!isOutage || stop.signal.aborted) return
    const seconds = Math.round((performance.now() - since) / 1000)
    logger.warn({ engine, seconds }, `the ${engine} is available again`)
  }

  return {
    notice(error) {
      // A full disk is no outage: many calls still work, and the check succeeds.
      if (!(error instanceof EngineUnavailable) || error.isFull) return
      if (watched.has(error.engine) || stop.signal.aborted) return
      watched.add(error.engine)
      // The pause rejects if the watch is closed.
      untilAvailable(error.engine).catch(() => {})
    },
    close: () => stop.abort(),
  }
}

/** How long a line may wait for others. */
const WRITE_PAUSE_MS = 20

/**
 * Writes the lines of a short time together: under load, a write per request takes as long as the statements of the
 * request. An error is written immediately, with all lines before it. When the process exits, even by an exception, the
 * remaining lines are written.
 */
function inBatches(stream: DestinationStream): DestinationStream {
  let lines = ''
  function writeAll(): void {
    const text = lines
    lines = ''
    if (text !== '') stream.write(text)
  }
  process.on('exit', writeAll)
  return {
    // Makes pino set `lastLevel` for each line.
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line) {
      if (lines === '') setTimeout(writeAll, WRITE_PAUSE_MS).unref()
      lines += line
      if (this.lastLevel >= ERROR) writeAll()
    },
  } as DestinationStream & { lastLevel: number }
}
