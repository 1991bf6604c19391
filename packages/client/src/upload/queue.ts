import { onAbort } from '../pause.ts'

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

  function startPart(file: QueuedFile, weight: number): void {
    let counted = 0
    const countAs = (thirds: number) => {
      thirdsInTransit += thirds - counted
      counted = thirds
    }
    countAs(3 * weight)
    file.start({
      sent(bytes) {
        const hasWaitingPart = queued.some((other) => other.nextSize() !== undefined)
        limit.sent(bytes, hasWaitingPart)
      },
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

/** Limits how many parts are in transit at the same time. Large parts count for more than one. */
export interface ConcurrencyLimit {
  current(): number
  /** Returns how much a part counts toward the limit. */
  weigh(partSize: number, fileSize: number): number
  /** Bytes were sent. `hasWaitingPart`: the limit delays at least one part. */
  sent(bytes: number, hasWaitingPart: boolean): void
  /** A part was stored. */
  succeeded(): void
  /** A part failed because of the connection. */
  failed(): void
}

const START_LIMIT = 4
const MAX_LIMIT = 12
/** An increase that does not raise the rate by this factor is reverted. */
const MIN_GAIN = 1.15
const WINDOW_MS = 2_000
/** New connections need time to reach full speed. */
const SETTLE_MS = 1_000
/**
 * How long no increase is tried after a failure or a reverted increase. Each reverted increase doubles it, up to
 * `MAX_REST_MS`.
 */
const REST_MS = 15_000
const MAX_REST_MS = 240_000
const AFTER_FAILURE_MS = 3_000

/**
 * Starts with four parts, increases the limit as long as that raises the rate, and halves it when parts
 * fail. A fixed limit is lowered only after failures.
 */
export function createConcurrencyLimit(
  fixed?: number | undefined,
  now: () => number = () => performance.now(),
): ConcurrencyLimit {
  const start = fixed ?? START_LIMIT
  const max = fixed ?? MAX_LIMIT
  let limit = start
  let trial: { before: number; rate: number } | undefined
  let restMs = REST_MS
  let restUntil = 0
  let failedAt = -Infinity
  let windowStart = now()
  let windowBytes = 0

  function startWindow(delayMs = 0): void {
    windowStart = now() + delayMs
    windowBytes = 0
  }

  function adjust(rate: number): void {
    if (trial !== undefined && rate < trial.rate * MIN_GAIN) {
      limit = trial.before
      trial = undefined
      restUntil = now() + restMs
      restMs = Math.min(MAX_REST_MS, restMs * 2)
      return
    }
    if (trial !== undefined) restMs = REST_MS
    trial = undefined
    if (limit >= max || now() < restUntil) return
    trial = { before: limit, rate }
    limit = Math.min(max, Math.ceil(limit * 1.5))
  }

  return {
    current: () => limit,
    weigh: (partSize, fileSize) => (fixed === undefined ? weightOf(partSize, fileSize) : 1),
    sent(bytes, hasWaitingPart) {
      // Unless parts are waiting, the rate does not depend on the limit.
      if (!hasWaitingPart) return startWindow()
      if (now() < windowStart) return
      windowBytes += bytes
      const elapsed = now() - windowStart
      if (elapsed < WINDOW_MS) return
      const before = limit
      adjust(windowBytes / elapsed)
      startWindow(limit === before ? 0 : SETTLE_MS)
    },
    succeeded() {
      if (limit < start && now() - failedAt > AFTER_FAILURE_MS) limit += 1
    },
    failed() {
      const isNew = now() - failedAt > AFTER_FAILURE_MS
      failedAt = now()
      trial = undefined
      restUntil = now() + restMs
      startWindow()
      // Several failures at the same time count as one.
      if (isNew) limit = Math.max(1, Math.floor(limit / 2))
    },
  }
}

/** A crash may lose this many bytes of a file that were sent, or this share of the file if that is more. */
const ACCEPTED_LOSS_BYTES = 32_000_000
const ACCEPTED_LOSS_SHARE = 1 / 15

/**
 * A crash loses the parts in transit. If parts are large compared to their file, fewer are sent at the same
 * time, unless more are faster.
 */
function weightOf(partSize: number, fileSize: number): number {
  const acceptedLoss = Math.max(ACCEPTED_LOSS_BYTES, fileSize * ACCEPTED_LOSS_SHARE)
  return Math.max(1, Math.min(START_LIMIT - 1, Math.ceil((START_LIMIT * partSize) / acceptedLoss)))
}
