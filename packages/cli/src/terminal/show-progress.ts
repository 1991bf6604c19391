import { sanitize } from '../text/sanitize.ts'
import { truncate } from '../text/width.ts'
import { openLiveLines } from './live-lines.ts'

const LOG_INTERVAL_MS = 5_000
const TERMINAL_INTERVAL_MS = 100

/** Shows a line that is redrawn in place on a terminal; elsewhere, writes one every few seconds. */
export function showProgress() {
  const live = openLiveLines()
  const intervalMs = live.isLive ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS
  let shownAt = live.isLive ? Number.NEGATIVE_INFINITY : performance.now()
  return {
    show(text: string): void {
      if (performance.now() - shownAt < intervalMs) return
      shownAt = performance.now()
      if (live.isLive) live.show([truncate(sanitize(text), live.columns() - 1)])
      else process.stderr.write(`${sanitize(text)}\n`)
    },
    clear: live.clear,
  }
}
