/** Data goes to standard output: as JSON for programs, otherwise for people. */
export function writeData(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(options.json ? `${JSON.stringify(data, null, 2)}\n` : `${options.text}\n`)
}

/** One of several things: programs get one JSON object a line, as they come. */
export function writeItem(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(`${options.json ? JSON.stringify(data) : options.text}\n`)
}

/** What is said about it goes to standard error. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`)
}

/** How wide a table may be: as the terminal is; elsewhere as it likes. */
export function tableWidth(): number | undefined {
  return process.stdout.isTTY ? Math.max(20, process.stdout.columns || 80) : undefined
}
