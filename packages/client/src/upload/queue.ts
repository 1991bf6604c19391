import { onAbort } from '../retry-policy.ts'
import type { Pace } from './concurrency-limit.ts'

/** One file's parts. */
export interface Lane {
  fileSize: number
  /** The size of the part that is next; undefined while there is none. */
  nextSize(): number | undefined
  /** Takes the next part and sends it; the slot is given back in the end. */
  start(slot: Slot): void
}

export interface Slot {
  moved(bytes: number): void
  /** Only the answer is missing: others may begin. */
  allSent(): void
  release(outcome: 'arrived' | 'failed' | 'stopped'): void
}

/** All parts of all files of a client go through one queue; files take turns. */
export interface Queue {
  /** Waits until it is the file's turn to begin at all. The answer ends its turn. */
  enter(signal: AbortSignal): Promise<() => void>
  join(lane: Lane): void
  leave(lane: Lane): void
  /** Looks again, as a lane has a part that it had not. */
  wake(): void
}

/** So many files are under way at once, so that each of many is finished soon. */
const FILES_AT_ONCE = 8

export function createQueue(pace: Pace): Queue {
  const lanes: Lane[] = []
  const arrivals = new Set<() => void>()
  let files = 0
  /** In thirds of a weight: whole numbers, of which nothing is left over once all have arrived. */
  let thirdsOnTheWay = 0

  function isFull(): boolean {
    return lanes.some((lane) => lane.nextSize() !== undefined)
  }

  function startFrom(lane: Lane, weight: number): void {
    let held = 0
    const hold = (thirds: number) => {
      thirdsOnTheWay += thirds - held
      held = thirds
    }
    hold(3 * weight)
    lane.start({
      moved: (bytes) => pace.moved(bytes, isFull()),
      allSent() {
        // A crash does not lose it any more, so what it weighed for that goes; of small parts,
        // which wait for answers most of the time, no more than the limit are on the way.
        if (held > 3) hold(1)
        wake()
      },
      release(outcome) {
        hold(0)
        if (outcome === 'arrived') pace.arrived()
        if (outcome === 'failed') pace.failed()
        wake()
      },
    })
  }

  /** The next lane in turn that has a part. A part that is too heavy waits, and nobody overtakes it. */
  function wake(): void {
    for (let looked = 0; looked < lanes.length; looked += 1) {
      const lane = lanes.shift() as Lane
      const size = lane.nextSize()
      const weight = pace.weigh(size ?? 0, lane.fileSize)
      if (size !== undefined) {
        const fits = thirdsOnTheWay === 0 || thirdsOnTheWay + 3 * weight <= 3 * pace.limit()
        if (!fits) {
          lanes.unshift(lane)
          return
        }
        looked = -1
      }
      lanes.push(lane)
      if (size !== undefined) startFrom(lane, weight)
    }
  }

  function admit(): void {
    for (const arrive of arrivals) {
      if (files === FILES_AT_ONCE) return
      arrivals.delete(arrive)
      files += 1
      arrive()
    }
  }

  return {
    enter: (signal) =>
      new Promise((resolve, reject) => {
        const arrive = () => {
          forget()
          resolve(() => {
            files -= 1
            admit()
          })
        }
        const forget = onAbort(signal, () => {
          arrivals.delete(arrive)
          reject(signal.reason)
        })
        arrivals.add(arrive)
        admit()
      }),
    join(lane) {
      lanes.push(lane)
      wake()
    },
    leave(lane) {
      const index = lanes.indexOf(lane)
      if (index >= 0) lanes.splice(index, 1)
      wake()
    },
    wake,
  }
}
