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

const START = 4
const MAX = 12
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
  const start = fixed ?? START
  const max = fixed ?? MAX
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
  return Math.max(1, Math.min(START - 1, Math.ceil((START * partSize) / acceptedLoss)))
}
