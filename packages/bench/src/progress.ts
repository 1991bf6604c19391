const QUIET_MS = 1000
let lastAt = Number.NEGATIVE_INFINITY

/** What is being done now: one line that changes, or, where nobody watches, a line a second. */
export function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001b[2K${text}`)
  } else if (text !== '' && performance.now() - lastAt > QUIET_MS) {
    lastAt = performance.now()
    process.stderr.write(`${text}\n`)
  }
}
