import { isStowageError, isTransient, type StowageError } from '../errors.ts'
import type { RetryOptions } from '../options.ts'
import { isOffline, onAbort, pause } from '../pause.ts'
import { DEFAULT_TRIES, errorOfResponse } from '../request.ts'
import { type RetryPolicy, retryDelay, untilReached } from '../retry-policy.ts'
import type { Meter } from './progress.ts'
import type { Queue, QueuedFile, Slot } from './queue.ts'
import { countParts, rangeOf, type Session } from './session.ts'
import type { Source } from './source.ts'

export interface SendPartsOptions {
  queue: Queue
  source: Source
  /** Each part that has a URL and is not in `received` is sent. */
  session: Session
  meter: Meter
  retryPolicy: RetryPolicy
  retry: RetryOptions
  stallMs: number
  /** Whether a connection to the storage was ever made. */
  storageContact: { isMade: boolean }
  signal: AbortSignal
  /** Re-signs the URLs and reads which parts the storage has. Simultaneous calls share one request. */
  renew(): Promise<void>
  /** Rejects if the digest differs from an earlier one of the same part. */
  onDigest(part: number, digest: string): Promise<void>
  /** Called with each failure that is retried, and with undefined after a success. */
  onProblem(error: Error | undefined): void
  onProgress(): void
}

/** After this many refusals of fresh URLs in a row, expiry cannot be the reason. */
const MAX_REFUSALS = 30

/** Sends all parts of the source through the queue. Rejects with the first failure that a retry cannot fix. */
export function sendParts(options: SendPartsOptions): Promise<void> {
  const { queue, source, session, meter, retryPolicy, renew } = options
  const count = countParts(source.size, session.chunkSize)
  const waiting = [...session.urls.keys()].filter(
    (part) => part <= count && !session.received.has(part),
  )
  const tries: number[] = []
  /** Parts whose bytes were all sent at least once. */
  const fullySent = new Set<number>()
  const ending = new AbortController()
  const { signal } = ending
  let remaining = waiting.length
  let refusals = 0

  const rangeOfPart = (part: number) => rangeOf(part, session.chunkSize, source.size)
  const sizeOf = (part: number) => {
    const { start, end } = rangeOfPart(part)
    return end - start
  }
  const isExpiring = () => Date.now() > session.renewAt

  /** Resolves once the part is stored. */
  async function put(part: number, slot: Slot): Promise<void> {
    if (isExpiring()) await renew()
    // The storage may have received the part although the response to an earlier try was lost.
    if (fullySent.has(part) && session.received.has(part)) return
    const url = session.urls.get(part)
    if (url === undefined) return
    const size = sizeOf(part)
    let before = 0
    const response = await source.put(url, rangeOfPart(part), {
      signal,
      stallMs: options.stallMs,
      onSent(bytes) {
        slot.sent(bytes - before)
        before = bytes
        meter.sent(part, bytes)
        options.onProgress()
        // Sending a part may take longer than an idle upload is kept. Renewing the session extends its expiry.
        if (isExpiring()) renew().catch(() => {})
        if (bytes < size) return
        fullySent.add(part)
        slot.allSent()
      },
      async onDigest(digest) {
        // Nothing is saved after the end: the caller may already have removed the state.
        if (!signal.aborted) await options.onDigest(part, digest)
      },
    })
    options.storageContact.isMade = true
    const { status, body, header } = response
    if (status > 299) throw errorOfResponse(status, body, header)
    session.received.set(part, { etag: header('etag') ?? '', size })
  }

  /** Prepares a retry after the error, or throws it if a retry cannot help. */
  async function recover(part: number, error: unknown): Promise<void> {
    if (!isStowageError(error)) throw error
    options.onProblem(error)
    const count = (tries[part] ?? 0) + 1
    tries[part] = count
    const { storageContact } = options
    storageContact.isMade ||= error.facts.connected !== false
    if (!storageContact.isMade && count === DEFAULT_TRIES && !isOffline()) throw error
    if (isTransient(error)) {
      if (!isOffline()) retryPolicy.failed(error)
      // Before sending a whole part again, check whether the storage has received it.
      if (fullySent.has(part)) await renew()
    } else {
      refusals += 1
      if (!isStale(error) || refusals > MAX_REFUSALS) throw error
      await renew()
    }
    const delays = storageContact.isMade ? options.retry : untilReached(options.retry)
    await pause(retryDelay(count, delays, error.retryAfterMs), signal)
  }

  return new Promise((resolve, reject) => {
    const removeListener = onAbort(options.signal, () => end(options.signal.reason))

    function end(error?: unknown): void {
      removeListener()
      queue.leave(file)
      // null instead of undefined, which would create an AbortError.
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
        await recover(part, error)
        waiting.unshift(part)
        return queue.wake()
      }
      meter.done(part, sizeOf(part))
      source.release?.(rangeOfPart(part))
      retryPolicy.succeeded()
      refusals = 0
      options.onProblem(undefined)
      slot.release('stored')
      remaining -= 1
      if (remaining === 0) end()
    }

    const file: QueuedFile = {
      fileSize: source.size,
      nextSize() {
        const [part] = waiting
        if (part === undefined) return undefined
        const state = source.prepare?.(rangeOfPart(part), queue.wake) ?? 'ready'
        if (state === 'beyond') {
          remaining -= waiting.splice(0).length
          // Deferred, because the queue is iterating over its files now.
          if (remaining === 0) queueMicrotask(end)
        }
        return state === 'ready' ? sizeOf(1) : undefined
      },
      start(slot) {
        send(waiting.shift() as number, slot).catch(end)
      },
    }
    if (remaining === 0) end()
    else queue.join(file)
  })
}

/** The URL has expired or belongs to an earlier state of the upload: a fresh one may work. */
function isStale({ status, code }: StowageError): boolean {
  return status === 403 || status === 404 || code === 'ExpiredToken'
}
