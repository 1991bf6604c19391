import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from './config/config.ts'

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
  if (!process.stderr.isTTY) return oncePerTurn(standardError)
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    destination: standardError,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  })
}

/**
 * Writes all lines of one turn of the event loop together: under load, a write per request costs as much
 * as the request itself. An error is written immediately, with all lines before it. When the process
 * exits, even by an exception, the remaining lines are written.
 */
function oncePerTurn(stream: DestinationStream): DestinationStream {
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
      if (lines === '') setImmediate(writeAll)
      lines += line
      if (this.lastLevel >= ERROR) writeAll()
    },
  } as DestinationStream & { lastLevel: number }
}
