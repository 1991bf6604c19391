import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from './config/config.ts'

/** JSON lines on standard error; readable ones when a person watches. */
export async function openLog(level: LogLevel): Promise<Logger> {
  const options = { level, base: null, redact: ['req.headers.authorization'] }
  return pino(options, await destination())
}

async function destination(): Promise<DestinationStream> {
  const standardError = pino.destination({ dest: 2, sync: true })
  if (!process.stderr.isTTY) return standardError
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    destination: standardError,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  })
}
