/** How many parts, by weight, are on the way at once. */
export interface Pace {
  limit(): number
  /** How many a part of a file counts for. */
  weigh(partSize: number, fileSize: number): number
  /** Bytes left us; `isFull`: more parts wait than may be on the way. */
  moved(bytes: number, isFull: boolean): void
  /** A part arrived. */
  arrived(): void
  /** A part failed for a reason of the line. */
  failed(): void
}

const START = 4
const MOST = 12
/** A step up that does not make it so much faster is taken back. */
const GAIN = 1.15
const WINDOW_MS = 2_000
/** New connections take their time to come up to speed. */
const SETTLE_MS = 1_000
const REST_MS = 15_000
const LONGEST_REST_MS = 240_000
const AFTER_FAILURE_MS = 3_000

/**
 * Begins with four, tries more as long as more is faster, and halves when parts fail. A number
 * that was asked for is kept to, but for failures.
 */
export function createPace(
  asked?: number | undefined,
  now: () => number = () => performance.now(),
): Pace {
  const start = asked ?? START
  const most = asked ?? MOST
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

  function judge(rate: number): void {
    if (trial !== undefined && rate < trial.rate * GAIN) {
      limit = trial.before
      trial = undefined
      restUntil = now() + restMs
      restMs = Math.min(LONGEST_REST_MS, restMs * 2)
      return
    }
    if (trial !== undefined) restMs = REST_MS
    trial = undefined
    if (limit >= most || now() < restUntil) return
    trial = { before: limit, rate }
    limit = Math.min(most, Math.ceil(limit * 1.5))
  }

  return {
    limit: () => limit,
    weigh: (partSize, fileSize) => (asked === undefined ? weightOf(partSize, fileSize) : 1),
    moved(bytes, isFull) {
      // Where nothing waits, the rate says nothing about the number.
      if (!isFull) return startWindow()
      if (now() < windowStart) return
      windowBytes += bytes
      const elapsed = now() - windowStart
      if (elapsed < WINDOW_MS) return
      const before = limit
      judge(windowBytes / elapsed)
      startWindow(limit === before ? 0 : SETTLE_MS)
    },
    arrived() {
      if (limit < start && now() - failedAt > AFTER_FAILURE_MS) limit += 1
    },
    failed() {
      const isNew = now() - failedAt > AFTER_FAILURE_MS
      failedAt = now()
      trial = undefined
      restUntil = now() + restMs
      startWindow()
      // What breaks together counts once.
      if (isNew) limit = Math.max(1, Math.floor(limit / 2))
    },
  }
}

/** What a crash may cost of a file, however large its parts are. */
const LEAST_AT_STAKE = 32_000_000
const SHARE_AT_STAKE = 1 / 15

/**
 * Parts on the way are lost in a crash. Where a part is much of its file, fewer of them go at
 * once, unless more are faster.
 */
function weightOf(partSize: number, fileSize: number): number {
  const mayBeLost = Math.max(LEAST_AT_STAKE, fileSize * SHARE_AT_STAKE)
  return Math.max(1, Math.min(START - 1, Math.ceil((START * partSize) / mayBeLost)))
}
