import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from './config/config.ts'

/** As pino counts levels. */
const ERROR = 50

/** JSON lines on standard error; readable ones when a person watches. */
export async function openLog(level: LogLevel): Promise<Logger> {
  const options = { level, base: null, redact: ['req.headers.authorization'] }
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
 * Lines of one turn of the event loop are written together: with many requests at once, a write for
 * each costs as much as what it tells of. An error is written at once, with all before it, and the
 * end of the process, also by an exception, leaves none behind.
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
    // Has pino tell the level of each line.
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line) {
      if (lines === '') setImmediate(writeAll)
      lines += line
      if (this.lastLevel >= ERROR) writeAll()
    },
  } as DestinationStream & { lastLevel: number }
}
