import { onAbort } from '../on-abort.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'

/** A file whose parts are sent through the queue. */
export interface QueuedFile {
  fileSize: number
  /** The size of the next part; undefined while there is none. */
  nextSize(): number | undefined
  /** Sends the next part, and releases the slot at the end. */
  start(slot: Slot): void
}

export interface Slot {
  sent(bytes: number): void
  /** All bytes are sent and only the response is missing: another part may start. */
  allSent(): void
  release(outcome: 'stored' | 'failed' | 'stopped'): void
}

/** All parts of all files of a client pass through one queue. Files take turns. */
export interface Queue {
  /** Waits until the file may start. The returned function must be called when it ends. */
  enter(signal: AbortSignal): Promise<() => void>
  join(file: QueuedFile): void
  leave(file: QueuedFile): void
  /** Must be called when a file has a next part that it did not have before. */
  wake(): void
}

/** The number of files sent at the same time. It is limited so that the first ones finish early. */
const MAX_FILES = 8

export function createQueue(limit: ConcurrencyLimit): Queue {
  const queued: QueuedFile[] = []
  const waiting = new Set<() => void>()
  let activeFiles = 0
  /** In thirds of a part: with whole numbers, no rounding error remains once all parts are released. */
  let thirdsInTransit = 0

  function hasWaitingPart(): boolean {
    return queued.some((file) => file.nextSize() !== undefined)
  }

  function startPart(file: QueuedFile, weight: number): void {
    let counted = 0
    const countAs = (thirds: number) => {
      thirdsInTransit += thirds - counted
      counted = thirds
    }
    countAs(3 * weight)
    file.start({
      sent: (bytes) => limit.sent(bytes, hasWaitingPart()),
      allSent() {
        // A crash no longer loses this part, so a part with extra weight now counts as a third of a part. Other
        // parts still count fully: they spend most of their time waiting for responses, and must not exceed the limit.
        if (counted > 3) countAs(1)
        wake()
      },
      release(outcome) {
        countAs(0)
        if (outcome === 'stored') limit.succeeded()
        if (outcome === 'failed') limit.failed()
        wake()
      },
    })
  }

  /** Starts parts of each file in turn. A part that exceeds the limit waits, and none overtakes it. */
  function wake(): void {
    for (let checked = 0; checked < queued.length; checked += 1) {
      const file = queued.shift() as QueuedFile
      const size = file.nextSize()
      const weight = limit.weigh(size ?? 0, file.fileSize)
      if (size !== undefined) {
        const fits = thirdsInTransit === 0 || thirdsInTransit + 3 * weight <= 3 * limit.current()
        if (!fits) {
          queued.unshift(file)
          return
        }
        checked = -1
      }
      queued.push(file)
      if (size !== undefined) startPart(file, weight)
    }
  }

  function admit(): void {
    for (const start of waiting) {
      if (activeFiles === MAX_FILES) return
      waiting.delete(start)
      activeFiles += 1
      start()
    }
  }

  return {
    enter: (signal) =>
      new Promise((resolve, reject) => {
        const start = () => {
          removeListener()
          resolve(() => {
            activeFiles -= 1
            admit()
          })
        }
        const removeListener = onAbort(signal, () => {
          waiting.delete(start)
          reject(signal.reason)
        })
        waiting.add(start)
        admit()
      }),
    join(file) {
      queued.push(file)
      wake()
    },
    leave(file) {
      const index = queued.indexOf(file)
      if (index >= 0) queued.splice(index, 1)
      wake()
    },
    wake,
  }
}
