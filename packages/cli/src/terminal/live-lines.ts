import { sanitize } from './sanitize.ts'
import { truncate, widthOf } from './width.ts'

interface LiveLines {
  /** Whether lines can be redrawn: on a terminal that can move its cursor. */
  readonly isLive: boolean
  /** How often progress is shown: redrawn many times a second, or written as a line every few seconds. */
  readonly intervalMs: number
  columns(): number
  /** Replaces the lines that are shown. */
  show(lines: string[]): void
  /** Removes the lines, so that other output can be written. */
  clear(): void
}

/** Opens lines at the end of standard error that are redrawn in place. */
export function openLiveLines(stream: NodeJS.WriteStream = process.stderr): LiveLines {
  const isLive = stream.isTTY === true && process.env.TERM !== 'dumb'
  const columns = () => stream.columns || 80
  let shown: string[] = []

  /** A line counts as several rows if the terminal was made narrower and has wrapped it. */
  function heightOfShown(): number {
    const width = columns()
    return shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0)
  }

  function erase(): string {
    const height = heightOfShown()
    shown = []
    return height === 0 ? '' : `\u001b[${height}A\r\u001b[J`
  }

  return {
    isLive,
    intervalMs: isLive ? 100 : 5_000,
    columns,
    show(lines) {
      if (!isLive) return
      const before = erase()
      shown = lines
      stream.write(before + lines.map((line) => `${line}\n`).join(''))
    },
    clear() {
      if (isLive && shown.length > 0) stream.write(erase())
    },
  }
}

/** Shows a line that is redrawn in place on a terminal; elsewhere, writes one every few seconds. */
export function showProgress() {
  const live = openLiveLines()
  let shownAt = live.isLive ? Number.NEGATIVE_INFINITY : performance.now()
  return {
    show(text: string): void {
      if (performance.now() - shownAt < live.intervalMs) return
      shownAt = performance.now()
      if (live.isLive) live.show([truncate(sanitize(text), live.columns() - 1)])
      else process.stderr.write(`${sanitize(text)}\n`)
    },
    clear: live.clear,
  }
}
