import { escapeControlCharacters } from './text/sanitize.ts'

/** Data goes to standard output: as JSON for programs, otherwise for people. */
export function writeData(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(`${options.json ? jsonText(data, 2) : options.text}\n`)
}

/** One of several things: programs get one JSON object a line, as they come. */
export function writeItem(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(`${options.json ? jsonText(data) : options.text}\n`)
}

/** Means the same to programs, and tells a terminal to do nothing. */
export function jsonText(data: unknown, indent?: number): string {
  return escapeControlCharacters(JSON.stringify(data, null, indent))
}

/** From here on the work counts, and goes on when nobody reads any more what is said about it. */
export function ignoreClosedOutput(): void {
  process.stdout
    .removeAllListeners('error')
    .on('error', ({ code, message }: NodeJS.ErrnoException) => {
      const isGone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED'
      if (!isGone) writeMessage(`stowage: the output can’t be written: ${message}`)
    })
}

/** What is said about it goes to standard error. */
export function writeMessage(message: string): void {
  process.stderr.write(`${message}\n`)
}

/** How wide a table may be: as the terminal is; elsewhere as it likes. */
export function tableWidth(): number | undefined {
  return process.stdout.isTTY ? Math.max(20, process.stdout.columns || 80) : undefined
}
