import { escapeControlCharacters } from './text/sanitize.ts'

/** Writes data to standard output, as JSON or as text. */
export function writeData(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(`${options.json ? jsonText(data, 2) : options.text}\n`)
}

/** Writes one of several items. With `--json`, each is one line. */
export function writeItem(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(`${options.json ? jsonText(data) : options.text}\n`)
}

/** JSON in which control characters are escaped, so that a terminal does not interpret them. */
export function jsonText(data: unknown, indent?: number): string {
  return escapeControlCharacters(JSON.stringify(data, null, indent))
}

/** After this call, the command continues even if the reader of its output closes the pipe. */
export function ignoreClosedOutput(): void {
  process.stdout
    .removeAllListeners('error')
    .on('error', ({ code, message }: NodeJS.ErrnoException) => {
      const isGone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED'
      if (!isGone) writeMessage(`stowage: Cannot write the output: ${message}`)
    })
}

/** Writes a message for people to standard error. */
export function writeMessage(message: string): void {
  process.stderr.write(`${message}\n`)
}

/** The width of the terminal. Undefined if standard output is not a terminal: tables are then not truncated. */
export function tableWidth(): number | undefined {
  return process.stdout.isTTY ? Math.max(20, process.stdout.columns || 80) : undefined
}
