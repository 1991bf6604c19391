import type { Asset } from '@stowage/protocol'
import { isStowageError, type StowageError } from '../errors.ts'
import type { Request } from '../request.ts'
import {
  createPatience,
  pause,
  pauseBefore,
  type RetryOptions,
  unlessAborted,
} from '../retry-policy.ts'
import { declareNext } from './declare-next.ts'
import { isOnce } from './input.ts'
import {
  type Attempt,
  dropSession,
  findSaved,
  newSaved,
  openAttempt,
  renewSession,
  uploadIsGone,
} from './open-session.ts'
import type { Meter, UploadState } from './progress.ts'
import type { Queue } from './queue.ts'
import { sendParts } from './send-parts.ts'
import {
  attachSession,
  type CallOptions,
  cancelSession,
  checkHeldParts,
  completeSession,
  countParts,
  fileChanged,
  findSession,
  requestSession,
} from './session.ts'
import type { Source, SourceOptions } from './source.ts'
import { createSaver, type SavedUpload, type Saver, type UploadStore } from './store.ts'
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
  /** Whether a connection to the storage was ever made. */
  contact: { isMade: boolean }
  /** The keys of files under way: a file that is sent twice at once is two uploads. */
  underWay: Set<string>
  /** Throws a TypeError for what cannot be uploaded. */
  check(file: unknown): void
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
  /** Has the service remove what there is. `isBrief`: it is not worth waiting for. */
  cancel(isBrief?: boolean): Promise<void>
  id(): string | undefined
  close(): Promise<void>
}

/** What nobody can resume is cancelled, if the service can be reached. */
const BRIEFLY = { retry: { tries: 2 }, timeoutMs: 5_000 }

/** So often the storage may lack parts that it has answered. */
const MOST_ROUNDS = 10

export function createLegs(context: LegContext, file: unknown, options: LegOptions): Legs {
  const { request, queue, store, underWay } = context
  const retry = { ...context.retry, ...options.retry }
  const { meter } = options
  const patience = createPatience(retry)
  /** Empty: it is not remembered. */
  let key = ''
  let source: Source | undefined
  /** Once only, as a stream can be read once. */
  let opening: Promise<Source> | undefined
  const closing = new AbortController()
  let saved: SavedUpload | undefined
  let saver: Saver | undefined
  /** Its session was found or made once, and what that holds is of this file. */
  let isOpen = false
  let products: Asset['products']

  const callWith = (signal?: AbortSignal) => ({
    signal,
    patience,
    retry,
    onRetry: options.onProblem,
  })

  async function openSource(): Promise<Source> {
    const opened = await context.open(file, { ...options, signal: closing.signal })
    const wanted = opened.key && `${context.baseUrl} ${opened.name} ${opened.key}`
    if (wanted && !underWay.has(wanted)) {
      key = wanted
      underWay.add(key)
    }
    return opened
  }

  /** What is known of it, from an earlier leg or attempt. */
  async function findBefore(call: CallOptions): Promise<SavedUpload | undefined> {
    opening ??= openSource()
    source = await unlessAborted(opening, call.signal)
    return saved ?? findSaved(context, source, { ...options, key, call })
  }

  /** The session of this file: the one of an earlier leg or attempt, or a new one. */
  async function open(signal: AbortSignal): Promise<Attempt> {
    const call = callWith(signal)
    const reopen = async (before: SavedUpload) => {
      await saver?.settled()
      saved = before
      saver = key ? createSaver(store, before) : undefined
      // Before the service is asked, so that not even a crash makes a second asset.
      await saver?.save()
      return openAttempt(context, source as Source, {
        saved: before,
        call,
        isFirst: !isOpen,
        // A key of the caller's own stands for the old content: it cannot begin another upload.
        mayDrop: !isRequired && options.idempotencyKey === undefined,
      })
    }
    const isRequired = isOpen || typeof options.resume === 'string'
    const before = await findBefore(call)
    const opened = before && (await reopen(before))
    if (opened) return opened
    if (isRequired) throw uploadIsGone()
    const fresh = newSaved(source as Source, { ...options, key })
    const mayShare = key && !before && options.resume !== false && !options.idempotencyKey
    // Another process may begin with this file right now: then both send the same upload.
    const shared = mayShare ? await store.add?.(fresh).catch(() => fresh) : fresh
    const anew = (shared && (await reopen(shared))) ?? (await reopen(fresh))
    if (!anew) throw uploadIsGone()
    return anew
  }

  async function run(signal: AbortSignal): Promise<Asset> {
    const attempt = await open(signal)
    isOpen = true
    patience.succeeded()
    await saver?.save()
    products ??= await attach(attempt, signal)
    const asset = await sendAndComplete(source as Source, attempt, signal)
    await saver?.forget()
    return products ? { ...asset, products } : asset
  }

  /** Before the first byte, so that unknown products are refused first. The asset is listed when ready. */
  async function attach({ session }: Attempt, signal: AbortSignal): Promise<Asset['products']> {
    if (!options.attach) return undefined
    const call = callWith(signal)
    try {
      return await attachSession(request, session, { ...call, body: options.attach })
    } catch (error) {
      if (isStowageError(error, 'invalid') && session.received.size === 0) {
        await dropSession(request, session, call)
        await saver?.forget()
      }
      throw error
    }
  }

  async function sendAndComplete(from: Source, to: Attempt, signal: AbortSignal): Promise<Asset> {
    const { session } = to
    const call = callWith(signal)
    for (let round = 1; ; round += 1) {
      const held = new Map([...session.received].map(([part, { size }]) => [part, size]))
      meter.begin({ total: from.size, parts: countParts(from.size, session.chunkSize), held })
      options.onState('sending')
      await sendAll(from, to, signal)
      options.onState('finishing')
      await checkUnchanged(from, to, signal)
      try {
        return await completeSession(request, session, call)
      } catch (error) {
        // The storage lacks a part, or has another one: it is asked what it has.
        if (!isStowageError(error, 'invalid') || round === MOST_ROUNDS) throw error
        options.onProblem(error)
        await pause(pauseBefore(round, retry), signal)
        await renewSession(request, session, { call, isStrict: true })
      }
    }
  }

  /** A stream of unknown length is sent in rounds: each ends where more has to be declared. */
  async function sendAll(from: Source, to: Attempt, signal: AbortSignal): Promise<void> {
    const { chunkSize } = to.session
    for (let isOpen = from.nextSize !== undefined; ; ) {
      const { size: total } = from
      meter.resize({ total, parts: countParts(total, chunkSize), isOpen })
      await send(from, to, signal)
      if (!isOpen) return
      isOpen = await declareNext(request, {
        source: from,
        session: to.session,
        call: callWith(signal),
      })
    }
  }

  function send(from: Source, { session, saved: kept }: Attempt, signal: AbortSignal) {
    let renewing: Promise<void> | undefined
    return sendParts({
      ...options,
      queue,
      source: from,
      session,
      patience,
      retry,
      stallMs: context.stallMs,
      contact: context.contact,
      signal,
      renew() {
        renewing ??= renewSession(request, session, { call: callWith(signal) }).finally(() => {
          renewing = undefined
        })
        return renewing
      },
      async onDigest(part, digest) {
        const before = kept.digests[part]
        if (before && digest && before !== digest) throw fileChanged(from.name)
        kept.digests[part] = digest
        await saver?.save()
      },
    })
  }

  /** Once more before the parts are put together: what was sent first may be another by now. */
  async function checkUnchanged(from: Source, to: Attempt, signal: AbortSignal): Promise<void> {
    const { session, saved: kept } = to
    const check = { session, digests: kept.digests, signal }
    const likeness = await from.compare(kept.version)
    const isUnchanged =
      likeness === 'same' ||
      // Parts that nobody can tell of are sent again by the next attempt.
      (likeness === 'unsure' && (!from.isWatched || !(await checkHeldParts(from, check)).length))
    if (!isUnchanged) throw fileChanged(from.name)
  }

  async function cancel(isBrief = false): Promise<void> {
    if (!saved && isOnce(file)) return
    try {
      const call = isBrief ? BRIEFLY : callWith()
      saved = await findBefore(call)
      // Who does not know its session yet asks for it once more: it may be there.
      const session = saved?.id
        ? await findSession(request, saved.id, call)
        : saved && (await requestSession(request, saved, call))
      if (session) await cancelSession(request, session, call)
    } catch (error) {
      // What is gone needs no cancelling.
      if (!/not_found|upload_ended|unreadable/.test((error as StowageError).code)) throw error
    }
    if (saved) await (saver ?? createSaver(store, saved)).forget()
  }

  return {
    run,
    cancel,
    id: () => saved?.id,
    async close() {
      // Another upload of this file may begin now, and must not find the state half written.
      await saver?.settled()
      underWay.delete(key)
      closing.abort(null)
      const closed = opening?.then((opened) => opened.close()).catch(() => {})
      // Nobody waits for a stream that is still being read.
      if (source) await closed
    },
  }
}
