import { isStowageError, isTransient, type StowageError } from '../errors.ts'
import {
  isOffline,
  type Patience,
  pauseBefore,
  pauseOrOnline,
  type RetryOptions,
} from '../patience.ts'
import { errorOfAnswer } from '../request.ts'
import { weightOf } from './pace.ts'
import type { Meter } from './progress.ts'
import type { Lane, Queue, Slot } from './queue.ts'
import { rangeOf, type Session } from './session.ts'
import type { PutAnswer, Source } from './source.ts'

export interface Sending {
  queue: Queue
  source: Source
  session: Session
  /** The parts to send. */
  parts: number[]
  meter: Meter
  patience: Patience
  retry: RetryOptions
  stallMs: number
  signal: AbortSignal
  /** Signs the addresses anew and asks what the storage holds; those who ask at once share it. */
  renew(): Promise<void>
  /** Rejects when the digest is not that of an earlier time. */
  onDigest(part: number, digest: string): void
  /** Told about each failure that is tried again, and undefined when something worked. */
  onProblem(error: Error | undefined): void
  onProgress(): void
}

/** A fresh address that is refused so often is not refused for its age. */
const MOST_REFUSALS = 6

/** Sends all of the parts, through the queue. Rejects with the first failure that can't be mended. */
export function sendParts(sending: Sending): Promise<void> {
  const { queue, source, session, meter, patience, retry } = sending
  const waiting = [...sending.parts]
  const tries = new Map<number, number>()
  const refusals = new Map<number, number>()
  const wholly = new Set<number>()
  const ending = new AbortController()
  const signal = AbortSignal.any([sending.signal, ending.signal])
  let left = waiting.length

  /** Returns when the part arrived; a failure is thrown. */
  async function put(part: number, slot: Slot): Promise<void> {
    if (Date.now() > session.renewAt) await sending.renew()
    // The answer to an earlier try may have got lost after the storage had it all.
    if (wholly.has(part) && session.received.has(part)) return
    const range = rangeOf(part, session.chunkSize, source.size)
    const size = range.end - range.start
    const url = session.addresses.get(part)
    if (url === undefined) return
    let before = 0
    const answer = await source.put(url, range, {
      signal,
      stallMs: sending.stallMs,
      onSent(bytes) {
        slot.moved(bytes - before)
        before = bytes
        meter.sent(part, bytes)
        sending.onProgress()
        if (bytes < size) return
        wholly.add(part)
        slot.allSent()
      },
      onDigest: (digest) => sending.onDigest(part, digest),
    })
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer)
    const etag = (answer.etag ?? '').replaceAll('"', '')
    session.received.set(part, { etag, size })
  }

  /** Whether the error can be mended, and has been as far as we can. */
  async function mend(part: number, error: unknown): Promise<boolean> {
    if (isTransient(error)) {
      // Before all of it is sent a second time, the storage is asked whether it has it.
      if (wholly.has(part)) await sending.renew()
      return true
    }
    if (!isStowageError(error) || !isStale(error)) return false
    const count = (refusals.get(part) ?? 0) + 1
    refusals.set(part, count)
    if (count > MOST_REFUSALS) return false
    await sending.renew()
    return true
  }

  return new Promise((resolve, reject) => {
    const renewal = setInterval(() => {
      // A part may take longer than the addresses live; asking keeps the upload alive.
      if (Date.now() > session.renewAt) sending.renew().catch(end)
    }, RENEWAL_CHECK_MS)

    function end(error?: unknown): void {
      clearInterval(renewal)
      sending.signal.removeEventListener('abort', stop)
      queue.leave(lane)
      ending.abort()
      if (error === undefined) resolve()
      else reject(error)
    }

    const stop = () => end(sending.signal.reason)

    async function send(part: number, slot: Slot): Promise<void> {
      try {
        await put(part, slot)
        const { start, end: stopAt } = rangeOf(part, session.chunkSize, source.size)
        meter.done(part, stopAt - start)
        patience.succeeded()
        sending.onProblem(undefined)
        slot.release('arrived')
        left -= 1
        if (left === 0) end()
      } catch (error) {
        meter.failed(part)
        slot.release(signal.aborted ? 'stopped' : 'failed')
        if (!signal.aborted) await again(part, error)
      }
    }

    async function again(part: number, error: unknown): Promise<void> {
      try {
        if (isTransient(error) && !isOffline()) patience.failed(error)
        if (isStowageError(error)) sending.onProblem(error)
        if (!(await mend(part, error))) throw error
        const count = (tries.get(part) ?? 0) + 1
        tries.set(part, count)
        const asked = isStowageError(error) ? error.retryAfterMs : undefined
        await pauseOrOnline(asked ?? pauseBefore(count, retry), signal)
        waiting.unshift(part)
        queue.wake()
      } catch (failure) {
        end(failure)
      }
    }

    const lane: Lane = {
      nextWeight: () =>
        waiting.length > 0
          ? weightOf(Math.min(session.chunkSize, source.size), source.size)
          : undefined,
      start(slot) {
        void send(waiting.shift() as number, slot)
      },
    }
    if (left === 0) return end()
    if (sending.signal.aborted) return stop()
    sending.signal.addEventListener('abort', stop, { once: true })
    queue.join(lane)
  })
}

const RENEWAL_CHECK_MS = 1_000

/** The address ran out, or the upload is another one now: a fresh one may do. */
function isStale({ status, code }: StowageError): boolean {
  const isExpired = code === 'ExpiredToken' || code === 'RequestTimeTooSkewed'
  return status === 403 || status === 404 || isExpired
}

function refusalOf({ status, body, retryAfter }: PutAnswer): StowageError {
  return errorOfAnswer(status, body, () => retryAfter)
}
