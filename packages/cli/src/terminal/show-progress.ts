import { sanitize } from '../text/sanitize.ts'
import { truncate } from '../text/width.ts'
import { openLiveLines } from './live-lines.ts'

/** How often a line is written where no terminal can write over it. */
const PLAIN_EVERY_MS = 5_000
const TERMINAL_EVERY_MS = 100

/** One line that is written over and over on a terminal; elsewhere a line now and then. */
export function showProgress() {
  const live = openLiveLines()
  const everyMs = live.isLive ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS
  let shownAt = live.isLive ? Number.NEGATIVE_INFINITY : performance.now()
  return {
    show(text: string): void {
      if (performance.now() - shownAt < everyMs) return
      shownAt = performance.now()
      if (live.isLive) live.show([truncate(sanitize(text), live.columns() - 1)])
      else process.stderr.write(`${sanitize(text)}\n`)
    },
    clear: live.clear,
  }
}
