/** Measures how fast all parts of a file together are sent. */
export interface Throughput {
  /** A part starts. The returned function must be called when it ends. */
  start(): () => void
  sent(bytes: number): void
  /** Whether sending a part again costs less than computing its digest. */
  isFast(): boolean
}

/** In bytes per second. At this rate a digest takes a tenth of a processor. */
const FAST_RATE = 300_000_000
/** Fewer bytes than this may only have filled the buffers of the system. */
const MIN_BYTES = 16 * 1024 * 1024

export function measureThroughput(now: () => number = () => performance.now()): Throughput {
  let parts = 0
  let since = 0
  let bytes = 0
  return {
    start() {
      if (parts === 0) {
        since = now()
        bytes = 0
      }
      parts += 1
      return () => {
        parts -= 1
      }
    },
    sent(length) {
      bytes += length
    },
    isFast: () => bytes > MIN_BYTES && bytes > FAST_RATE * ((now() - since) / 1000),
  }
}
