import type { Asset } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import { createPatience, pauseBefore, pauseOrOnline, type RetryOptions } from '../patience.ts'
import type { Request } from '../request.ts'
import { type Attempt, findSaved, newSaved, openAttempt, renewAttempt } from './attempt.ts'
import type { Meter, UploadState } from './progress.ts'
import type { Queue } from './queue.ts'
import { createSaver, type Saver } from './saver.ts'
import { sendParts } from './send-parts.ts'
import {
  cancelSession,
  checkHeldParts,
  completeSession,
  countParts,
  fileChanged,
  requestSession,
} from './session.ts'
import type { Source, SourceOptions } from './source.ts'
import type { SavedUpload, UploadStore } from './store.ts'
import type { UploadOptions } from './upload.ts'

/** What all uploads of a client share. */
export interface LegContext {
  request: Request
  queue: Queue
  store: UploadStore
  /** Of the service, for the store's keys. */
  baseUrl: string
  retry: RetryOptions
  stallMs: number
  /** The keys of files under way: a file that is sent twice at once is two uploads. */
  underWay: Set<string>
  open(file: unknown, options: SourceOptions): Promise<Source> | Source
}

export interface LegOptions extends UploadOptions {
  meter: Meter
  onState(state: UploadState): void
  onProblem(error: Error | undefined): void
  onProgress(): void
}

export interface Legs {
  /** From wherever it stands to the end. An abort leaves it so that another leg can go on. */
  run(signal: AbortSignal): Promise<Asset>
  /** Has the service remove what there is. */
  cancel(): Promise<void>
  id(): string | undefined
  close(): Promise<void>
}

const MOST_ROUNDS = 10

export function createLegs(context: LegContext, file: unknown, options: LegOptions): Legs {
  const { request, queue, store, retry, underWay } = context
  const { meter } = options
  const patience = createPatience(retry)
  let source: Source | undefined
  let key: string | undefined
  let saved: SavedUpload | undefined
  let saver: Saver | undefined
  let attempt: Attempt | undefined
  let isAsked = false

  const callWith = (signal: AbortSignal) => ({ signal, patience, onRetry: options.onProblem })

  async function openSource(): Promise<Source> {
    const opened = await context.open(file, options)
    const wanted = opened.key && `${context.baseUrl} ${opened.name} ${opened.key}`
    if (wanted !== undefined && !underWay.has(wanted)) {
      key = wanted
      underWay.add(key)
    }
    return opened
  }

  function keep(next: SavedUpload): Promise<void> {
    saved = next
    saver = key === undefined ? undefined : createSaver(store, next)
    isAsked = true
    return saver?.save() ?? Promise.resolve()
  }

  /** The session of this file: the one of an earlier leg or attempt, or a new one. */
  async function open(from: Source, signal: AbortSignal): Promise<Attempt> {
    const call = callWith(signal)
    if (saved === undefined) {
      const found = await findSaved(context, from, { ...options, key, call })
      await keep(found.saved)
      if (!found.isNew) {
        const old = await reopen(from, signal)
        if (old !== undefined) return old
        if (typeof options.resume === 'string') throw uploadIsGone()
        await keep(newSaved(from, { key: key ?? '', idempotencyKey: options.idempotencyKey }))
      }
    }
    const opened = await openAttempt(context, from, { saved: saved as SavedUpload, call })
    if (opened === undefined) throw uploadIsGone()
    return opened
  }

  async function reopen(from: Source, signal: AbortSignal): Promise<Attempt | undefined> {
    try {
      return await openAttempt(context, from, {
        saved: saved as SavedUpload,
        call: callWith(signal),
      })
    } catch (error) {
      if (isStowageError(error, 'upload_ended')) return undefined
      throw error
    }
  }

  async function run(signal: AbortSignal): Promise<Asset> {
    const leave = await queue.enter(signal)
    try {
      source ??= await openSource()
      attempt = await open(source, signal)
      attempt.saved.id = attempt.session.id
      await saver?.save()
      const asset = await sendAndComplete(source, attempt, signal)
      const attached = await attach(asset, signal)
      await saver?.forget()
      return attached
    } finally {
      leave()
    }
  }

  async function sendAndComplete(from: Source, to: Attempt, signal: AbortSignal): Promise<Asset> {
    const { session } = to
    for (let round = 1; ; round += 1) {
      const held = new Map([...session.received].map(([part, { size }]) => [part, size]))
      meter.begin({ total: from.size, parts: countParts(from.size, session.chunkSize), held })
      options.onState('sending')
      await send(from, to, signal)
      options.onState('finishing')
      await checkUnchanged(from, to, signal)
      try {
        return await completeSession(request, session, callWith(signal))
      } catch (error) {
        // The storage lacks a part, or has another one: it is asked what it has.
        if (!isStowageError(error, 'invalid') || round === MOST_ROUNDS) throw error
        options.onProblem(error)
        await pauseOrOnline(pauseBefore(round, retry), signal)
        await renewAttempt(to, request, { call: callWith(signal), isStrict: true })
      }
    }
  }

  function send(from: Source, to: Attempt, signal: AbortSignal): Promise<void> {
    const { session, saved: kept, resend } = to
    let renewing: Promise<void> | undefined
    return sendParts({
      queue,
      source: from,
      session,
      parts: [...session.addresses.keys()].filter((part) => !session.received.has(part)),
      meter,
      patience,
      retry,
      stallMs: context.stallMs,
      signal,
      renew() {
        renewing ??= renewAttempt(to, request, {
          call: callWith(signal),
          isStrict: false,
        }).finally(() => {
          renewing = undefined
        })
        return renewing
      },
      onDigest(part, digest) {
        const before = kept.digests[part]
        if (before !== undefined && before !== digest) throw fileChanged(from.name)
        resend.delete(part)
        kept.digests[part] = digest
        void saver?.save()
      },
      onProblem: options.onProblem,
      onProgress: options.onProgress,
    })
  }

  /** Once more before the parts are put together: what was sent first may not be there any more. */
  async function checkUnchanged(from: Source, to: Attempt, signal: AbortSignal): Promise<void> {
    const likeness = await from.compare(to.saved.version)
    if (likeness === 'changed') throw fileChanged(from.name)
    if (likeness === 'unsure' && from.isWatched) {
      await checkHeldParts(from, to.session, to.saved.digests, signal)
    }
  }

  async function attach(asset: Asset, signal: AbortSignal): Promise<Asset> {
    if (options.attach === undefined) return asset
    const { data } = await request.json<{ data: Asset }>(`/assets/${asset.id}/attach`, {
      ...callWith(signal),
      method: 'POST',
      body: options.attach,
      repeatable: true,
    })
    return data
  }

  async function cancel(): Promise<void> {
    if (isAsked && saved !== undefined) {
      const call = { patience }
      try {
        await cancelSession(
          request,
          attempt?.session ?? (await requestSession(request, saved, call)),
          call,
        )
      } catch (error) {
        // What is gone needs no cancelling.
        if (!isStowageError(error, 'not_found') && !isStowageError(error, 'upload_ended'))
          throw error
      }
    }
    await saver?.forget()
  }

  return {
    run,
    cancel,
    id: () => saved?.id,
    async close() {
      if (key !== undefined) underWay.delete(key)
      await source?.close()
    },
  }
}

function uploadIsGone(): StowageError {
  const message = 'This upload was cancelled or has expired. Upload the file again.'
  return new StowageError('upload_ended', message)
}
