/** Data goes to standard output: as JSON for programs, otherwise for people. */
export function writeData(data: unknown, options: { json: boolean; text: string }): void {
  process.stdout.write(options.json ? `${JSON.stringify(data, null, 2)}\n` : `${options.text}\n`)
}

/** What is said about it goes to standard error. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`)
}

/** Columns as wide as their widest cell. */
export function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column]))))
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)))
}

function widthOf(cell: string | undefined): number {
  return [...(cell ?? '')].length
}

/** How often a line is written where no terminal can write over it. */
const PLAIN_EVERY_MS = 5_000
const TERMINAL_EVERY_MS = 100

/** One line that is written over and over on a terminal; elsewhere a line now and then. */
export function showProgress() {
  const { isTTY, columns = 80 } = process.stderr
  const everyMs = isTTY ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS
  let shownAt = isTTY ? Number.NEGATIVE_INFINITY : performance.now()
  return {
    show(text: string): void {
      if (performance.now() - shownAt < everyMs) return
      shownAt = performance.now()
      process.stderr.write(isTTY ? `\r\u001b[2K${text.slice(0, columns - 1)}` : `${text}\n`)
    },
    clear(): void {
      if (isTTY) process.stderr.write('\r\u001b[2K')
    },
  }
}
