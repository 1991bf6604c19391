/**
 * `waiting`: in the queue, or requesting a session. `sending`. `paused`. `finishing`: all parts are stored,
 * and the service assembles them. `ready`. `stopped`: by an error or an abort; can be resumed. `cancelled`.
 */
export type UploadState =
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'finishing'
  | 'ready'
  | 'stopped'
  | 'cancelled'

/** The progress of an upload. */
export interface Progress {
  /** The state of the upload. */
  state: UploadState
  /** The bytes sent so far. Never decreases, even if a part fails and is sent again. */
  bytes: number
  /** The size of the file, or for a stream of unknown length, the size declared so far. 0 until there is a session. */
  total: number
  /** Bytes per second, over the last seconds. */
  rate: number
  /** The estimated remaining time. Undefined while the rate or the length is unknown. */
  secondsLeft: number | undefined
  /** The number of parts, and how many of them are stored. */
  parts: { done: number; total: number }
  /** The failure that is being retried, if any. */
  problem: Error | undefined
}

export interface Meter {
  /** Starts an attempt. `received`: the sizes of the parts that the storage already has, by part number. */
  begin(known: { total: number; parts: number; received: ReadonlyMap<number, number> }): void
  /** Sets another size. `isOpen`: it may change again. */
  resize(known: { total: number; parts: number; isOpen: boolean }): void
  sent(part: number, bytes: number): void
  /** The bytes sent of this part no longer count. */
  failed(part: number): void
  done(part: number, size: number): void
  /** The whole file is stored. */
  end(): void
  read(): Omit<Progress, 'state' | 'problem'>
}

interface Sample {
  at: number
  moved: number
}

const WINDOW_MS = 8_000
const SAMPLE_MS = 100

function sum(counts: Map<number, number>): number {
  let all = 0
  for (const count of counts.values()) all += count
  return all
}

export function createMeter(now: () => number = () => performance.now()): Meter {
  let total = 0
  let parts = 0
  let shown = 0
  let moved = 0
  let isComplete = false
  let isOpen = false
  let received = new Map<number, number>()
  const inTransit = new Map<number, number>()
  let samples: Sample[] = []

  function sample(bytes: number): void {
    moved += bytes
    const at = now()
    const last = samples.at(-1) as Sample
    if (samples.length > 1 && at - last.at < SAMPLE_MS) last.moved = moved
    else samples.push({ at, moved })
    // Keep the last sample before the window: the rate is measured from there.
    while (samples[1] !== undefined && at - samples[1].at > WINDOW_MS) samples.shift()
  }

  function sent(part: number, bytes: number): void {
    sample(Math.max(0, bytes - (inTransit.get(part) ?? 0)))
    inTransit.set(part, bytes)
  }

  return {
    begin(known) {
      total = known.total
      parts = known.parts
      received = new Map(known.received)
      inTransit.clear()
      samples = []
      sample(0)
    },
    resize(known) {
      total = known.total
      parts = known.parts
      isOpen = known.isOpen
    },
    sent,
    failed(part) {
      inTransit.delete(part)
    },
    done(part, size) {
      sent(part, size)
      inTransit.delete(part)
      received.set(part, size)
    },
    end() {
      isComplete = true
    },
    read() {
      const bytes = isComplete ? total : sum(received) + sum(inTransit)
      shown = Math.max(shown, Math.min(bytes, total))
      const [first] = samples
      const seconds = first ? (now() - first.at) / 1000 : 0
      const rate = first && seconds >= 0.05 ? (moved - first.moved) / seconds : 0
      return {
        bytes: shown,
        total,
        rate,
        secondsLeft: rate > 0 && !isOpen ? (total - bytes) / rate : undefined,
        parts: { done: isComplete ? parts : received.size, total: parts },
      }
    },
  }
}
