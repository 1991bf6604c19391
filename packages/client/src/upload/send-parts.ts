import { isStowageError, isTransient, type StowageError } from '../errors.ts'
import { errorOfAnswer, FEW_TRIES } from '../request.ts'
import {
  isOffline,
  onAbort,
  type Patience,
  pause,
  pauseBefore,
  type RetryOptions,
} from '../retry-policy.ts'
import type { Meter } from './progress.ts'
import type { Lane, Queue, Slot } from './queue.ts'
import { countParts, rangeOf, type Session } from './session.ts'
import type { Source } from './source.ts'

export interface Sending {
  queue: Queue
  source: Source
  /** All parts that have an address and are not received are sent. */
  session: Session
  meter: Meter
  patience: Patience
  retry: RetryOptions
  stallMs: number
  /** Whether a connection to the storage was ever made. */
  contact: { isMade: boolean }
  signal: AbortSignal
  /** Signs the addresses anew and asks what the storage holds; those who ask at once share it. */
  renew(): Promise<void>
  /** Rejects when the digest is not that of an earlier time. */
  onDigest(part: number, digest: string): Promise<void>
  /** Told about each failure that is tried again, and undefined when something worked. */
  onProblem(error: Error | undefined): void
  onProgress(): void
}

/** Fresh addresses that are refused so often in a row are not refused for their age. */
const MOST_REFUSALS = 30

/** Sends all of the parts that the source has, through the queue. Rejects with the first failure that can't be mended. */
export function sendParts(sending: Sending): Promise<void> {
  const { queue, source, session, meter, patience, renew } = sending
  const count = countParts(source.size, session.chunkSize)
  const waiting = [...session.addresses.keys()].filter(
    (part) => part <= count && !session.received.has(part),
  )
  const tries: number[] = []
  /** Of these all bytes have left us, at least once. */
  const leftWhole = new Set<number>()
  const ending = new AbortController()
  const { signal } = ending
  let left = waiting.length
  let refusals = 0

  const rangeOfPart = (part: number) => rangeOf(part, session.chunkSize, source.size)
  const sizeOf = (part: number) => {
    const { start, end } = rangeOfPart(part)
    return end - start
  }
  const isOld = () => Date.now() > session.renewAt

  /** Returns when the part arrived; a failure is thrown. */
  async function put(part: number, slot: Slot): Promise<void> {
    if (isOld()) await renew()
    // The answer to an earlier try may have got lost after the storage had it all.
    if (leftWhole.has(part) && session.received.has(part)) return
    const url = session.addresses.get(part)
    if (url === undefined) return
    const size = sizeOf(part)
    let before = 0
    const answer = await source.put(url, rangeOfPart(part), {
      signal,
      stallMs: sending.stallMs,
      onSent(bytes) {
        slot.moved(bytes - before)
        before = bytes
        meter.sent(part, bytes)
        sending.onProgress()
        // A part may take longer than an upload lives; asking keeps it alive.
        if (isOld()) renew().catch(() => {})
        if (bytes < size) return
        leftWhole.add(part)
        slot.allSent()
      },
      async onDigest(digest) {
        // After the end nothing is written any more: whoever waited for it may remove the state.
        if (!signal.aborted) await sending.onDigest(part, digest)
      },
    })
    sending.contact.isMade = true
    const { status, body, header } = answer
    if (status > 299) throw errorOfAnswer(status, body, header)
    session.received.set(part, { etag: header('etag') ?? '', size })
  }

  /** Does what can be done about the error; throws it if that is nothing. */
  async function mend(part: number, error: unknown): Promise<void> {
    if (!isStowageError(error)) throw error
    sending.onProblem(error)
    const count = (tries[part] ?? 0) + 1
    tries[part] = count
    const { contact } = sending
    contact.isMade ||= error.facts.connected !== false
    if (!contact.isMade && count === FEW_TRIES && !isOffline()) throw error
    if (isTransient(error)) {
      if (!isOffline()) patience.failed(error)
      // Before all of it is sent a second time, the storage is asked whether it has it.
      if (leftWhole.has(part)) await renew()
    } else {
      refusals += 1
      if (!isStale(error) || refusals > MOST_REFUSALS) throw error
      await renew()
    }
    await pause(pauseBefore(count, sending.retry, error.retryAfterMs), signal)
  }

  return new Promise((resolve, reject) => {
    const forget = onAbort(sending.signal, () => end(sending.signal.reason))

    function end(error?: unknown): void {
      forget()
      queue.leave(lane)
      // With a reason, as without one an error is made up.
      ending.abort(error ?? null)
      if (error === undefined) resolve()
      else reject(error)
    }

    async function send(part: number, slot: Slot): Promise<void> {
      try {
        await put(part, slot)
      } catch (error) {
        meter.failed(part)
        slot.release(signal.aborted ? 'stopped' : 'failed')
        if (signal.aborted) return
        await mend(part, error)
        waiting.unshift(part)
        return queue.wake()
      }
      meter.done(part, sizeOf(part))
      source.release?.(rangeOfPart(part))
      patience.succeeded()
      refusals = 0
      sending.onProblem(undefined)
      slot.release('arrived')
      left -= 1
      if (left === 0) end()
    }

    const lane: Lane = {
      fileSize: source.size,
      nextSize() {
        const [part] = waiting
        if (part === undefined) return undefined
        const state = source.prepare?.(rangeOfPart(part), queue.wake) ?? 'ready'
        if (state === 'beyond') {
          left -= waiting.splice(0).length
          // Later, as the queue is looking at its lanes now.
          if (left === 0) queueMicrotask(end)
        }
        return state === 'ready' ? sizeOf(1) : undefined
      },
      start(slot) {
        send(waiting.shift() as number, slot).catch(end)
      },
    }
    if (left === 0) end()
    else queue.join(lane)
  })
}

/** The address ran out, or the upload is another one now: a fresh one may do. */
function isStale({ status, code }: StowageError): boolean {
  return status === 403 || status === 404 || code === 'ExpiredToken'
}
