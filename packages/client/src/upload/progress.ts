/**
 * `waiting` for its turn or its session; `sending`; `paused`; `finishing`: every part is there, the
 * service puts them together; `ready`; `stopped` by an error or an abort, and can be gone on with;
 * `cancelled`.
 */
export type UploadState =
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'finishing'
  | 'ready'
  | 'stopped'
  | 'cancelled'

export interface Progress {
  state: UploadState
  /** Never runs back: after a part has failed, it stands until the part has come as far again. */
  bytes: number
  /** Of a stream of unknown length, until its end is read: what is declared so far. */
  total: number
  /** Bytes a second over the last seconds. */
  rate: number
  /** Undefined while there is no rate, or the length is unknown. */
  secondsLeft: number | undefined
  parts: { done: number; total: number }
  /** What is being tried again just now. */
  problem: Error | undefined
}

export interface Meter {
  /** Sets what is known at the start of a leg: what the storage holds, of how much. */
  begin(known: { total: number; parts: number; held: ReadonlyMap<number, number> }): void
  /** Another size is declared; `isOpen`: it may not be the last. */
  resize(known: { total: number; parts: number; isOpen: boolean }): void
  sent(part: number, bytes: number): void
  /** Its bytes count no longer. */
  failed(part: number): void
  done(part: number, size: number): void
  /** All of it is there. */
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
  let isAllThere = false
  let isOpen = false
  let held = new Map<number, number>()
  const onTheWay = new Map<number, number>()
  let samples: Sample[] = []

  function sample(bytes: number): void {
    moved += bytes
    const at = now()
    const last = samples.at(-1) as Sample
    if (samples.length > 1 && at - last.at < SAMPLE_MS) last.moved = moved
    else samples.push({ at, moved })
    // The last one before the window stays: the rate is measured from there.
    while (samples[1] !== undefined && at - samples[1].at > WINDOW_MS) samples.shift()
  }

  function sent(part: number, bytes: number): void {
    sample(Math.max(0, bytes - (onTheWay.get(part) ?? 0)))
    onTheWay.set(part, bytes)
  }

  function rateNow(): number {
    const [first] = samples
    if (first === undefined) return 0
    const seconds = (now() - first.at) / 1000
    return seconds < 0.05 ? 0 : (moved - first.moved) / seconds
  }

  return {
    begin(known) {
      total = known.total
      parts = known.parts
      held = new Map(known.held)
      onTheWay.clear()
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
      onTheWay.delete(part)
    },
    done(part, size) {
      sent(part, size)
      onTheWay.delete(part)
      held.set(part, size)
    },
    end() {
      isAllThere = true
    },
    read() {
      const bytes = isAllThere ? total : sum(held) + sum(onTheWay)
      shown = Math.max(shown, Math.min(bytes, total))
      const rate = rateNow()
      return {
        bytes: shown,
        total,
        rate,
        secondsLeft: rate > 0 && !isOpen ? (total - bytes) / rate : undefined,
        parts: { done: isAllThere ? parts : held.size, total: parts },
      }
    },
  }
}
