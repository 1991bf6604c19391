const INTERVAL_MS = 1000
let lastAt = Number.NEGATIVE_INFINITY

/** Shows the current step: on a terminal as one changing line, otherwise as at most one line per second. */
export function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001b[2K${text}`)
  } else if (text !== '' && performance.now() - lastAt > INTERVAL_MS) {
    lastAt = performance.now()
    process.stderr.write(`${text}\n`)
  }
}
