/** How fast the parts of a file leave together. */
export interface Line {
  /** A part begins; the result says that it is over. */
  enter(): () => void
  moved(bytes: number): void
  /** So fast that parts are sent again sooner than it pays to remember what was in them. */
  isFast(): boolean
}

/** Bytes a second: a digest takes a tenth of a processor at that, and more of it beyond. */
const FAST = 300_000_000
/** Less than this may only have filled the system's buffers. */
const LEAST = 16 * 1024 * 1024

export function watchLine(now: () => number = () => performance.now()): Line {
  let parts = 0
  let since = 0
  let bytes = 0
  return {
    enter() {
      if (parts === 0) {
        since = now()
        bytes = 0
      }
      parts += 1
      return () => {
        parts -= 1
      }
    },
    moved(length) {
      bytes += length
    },
    isFast: () => bytes > LEAST && bytes > FAST * ((now() - since) / 1000),
  }
}
