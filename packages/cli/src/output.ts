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

/** One line on a terminal that is written over and over; nothing where nobody watches. */
export function showProgress() {
  const isWatched = process.stderr.isTTY
  return {
    show(text: string): void {
      if (isWatched) process.stderr.write(`\r\u001b[2K${text}`)
    },
    clear(): void {
      if (isWatched) process.stderr.write('\r\u001b[2K')
    },
  }
}
