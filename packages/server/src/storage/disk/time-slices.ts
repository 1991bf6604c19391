/** How long bodies are read before the other work on the thread gets a turn. */
const SLICE_MS = 5

/** A stream or socket whose data is processed synchronously: hashed, and sometimes also written to the disk. */
interface Pausable {
  pause(): unknown
  resume(): unknown
}

export interface TimeSlices {
  /** Call it after each chunk. Returns false if the slice is used up: all streams are paused until the next slice. */
  mayContinue(stream: Pausable): boolean
  remove(stream: Pausable): void
}

/**
 * Shares a thread between streams whose data is processed synchronously and everything else. Node reads
 * from a socket for as long as it has data, and then from the next one: with 64 parts in transfer and a
 * slow disk, other requests would wait for seconds.
 */
export function openTimeSlices(nowMs: () => number): TimeSlices {
  const streams = new Set<Pausable>()
  let start = nowMs()
  let isOver = false

  function endSlice(): void {
    isOver = true
    for (const stream of streams) stream.pause()
    setImmediate(() => {
      isOver = false
      start = nowMs()
      for (const stream of streams) stream.resume()
    })
  }

  return {
    mayContinue(stream) {
      // Moved to the end, so that streams that read nothing in this slice come first in the next one.
      streams.delete(stream)
      streams.add(stream)
      if (!isOver && nowMs() - start > SLICE_MS) endSlice()
      return !isOver
    },
    remove: (stream) => void streams.delete(stream),
  }
}
