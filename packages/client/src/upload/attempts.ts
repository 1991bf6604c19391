import type { Asset } from '@stowage/protocol'
import { isStowageError, isTransient, type StowageError } from '../errors.ts'
import { pause, unlessAborted } from '../pause.ts'
import { createRetryPolicy, retryDelay } from '../retry-policy.ts'
import { isReadOnce } from './input.ts'
import {
  dropSession,
  findSaved,
  newSaved,
  openGivenSession,
  openSession,
  savedOfSession,
} from './open-session.ts'
import type { Meter, UploadState } from './progress.ts'
import { sendParts } from './send-parts.ts'
import {
  type CallOptions,
  cancelSession,
  checkReceivedParts,
  completeSession,
  countParts,
  fileChanged,
  findSession,
  renewSession,
  requestSession,
  uploadEnded,
} from './session.ts'
import type { Source } from './source.ts'
import { createSaver, type SavedUpload, type Saver } from './store.ts'
import type { OpenUpload, UploadContext, UploadOptions } from './types.ts'

export interface AttemptOptions extends UploadOptions {
  /** The asset that gets a new version; undefined: the upload creates an asset. */
  replaces?: string | undefined
  meter: Meter
  onState(state: UploadState): void
  onProblem(error: Error | undefined): void
  onProgress(): void
}

/** The attempts to complete one upload. A pause ends an attempt, and the next one continues. */
export interface Attempts {
  /** Runs one attempt, from the current state to the end. After an abort, another attempt can continue. */
  run(signal: AbortSignal): Promise<Asset>
  /** Removes the upload at the service. `isBrief`: tries only twice, for a few seconds. */
  cancel(isBrief?: boolean): Promise<void>
  id(): string | undefined
  close(): Promise<void>
}

/** The settings to cancel an upload that cannot be resumed. If the call fails, the upload expires later. */
const BRIEF_CALL = { retry: { tries: 2 }, timeoutMs: 5_000 }

/** The codes of errors after which there is no upload to cancel. */
const NOTHING_TO_CANCEL = /not_found|upload_ended|unreadable|exceeded|in_progress/

/** After this many refused completions, an upload fails: the storage keeps losing parts that it has confirmed. */
const MAX_ROUNDS = 10

export function createAttempts(
  context: UploadContext,
  file: unknown,
  options: AttemptOptions,
): Attempts {
  const { queue, store, active } = context
  const retry = { ...context.retry, ...options.retry }
  const { session: given, backend } = options
  let { request } = context
  const { meter } = options
  const retryPolicy = createRetryPolicy(retry)
  /** Empty: the state is not saved. */
  let fileKey = ''
  /** The key of a new state. */
  let key = ''
  let source: Source | undefined
  /** Opened only once, because a stream can be read only once. */
  let opening: Promise<Source> | undefined
  const closing = new AbortController()
  let saved: SavedUpload | undefined
  let saver: Saver | undefined
  /** Whether a session was opened, and its parts were compared with the file. */
  let isOpen = false
  let products: Asset['products']

  const callWith = (signal?: AbortSignal) => ({
    signal,
    retryPolicy,
    retry,
    onRetry: options.onProblem,
  })

  async function openSource(): Promise<Source> {
    const opened = await context.open(file, { ...options, signal: closing.signal })
    const scope = options.replaces !== undefined ? `${options.replaces} ` : ''
    // A replacement is not resumed by an upload of the same file, nor by the replacement of another asset.
    const name = !given && opened.key && `${scope}${opened.name} ${opened.key}`
    if (name && !active.has(name)) {
      fileKey = name
      active.add(fileKey)
    }
    return opened
  }

  /** Returns the state saved by an earlier attempt, or by an earlier upload of the same file. */
  async function findState(call: CallOptions): Promise<SavedUpload | undefined> {
    if (backend && request === context.request)
      request = (await import('../on-demand.ts')).createBackendRequest(backend, retry)
    opening ??= openSource()
    source = await unlessAborted(opening, call.signal)
    if (given) saved ??= savedOfSession(source, given)
    if (saved) return saved
    const found = await findSaved(context, { ...options, fileKey, call })
    key = found.key
    const { resume, replaces } = options
    if (typeof resume !== 'string') return found.before
    const { findById } = await import('../on-demand.ts')
    return findById(context, source, { resume, replaces, key, call })
  }

  /** Opens the session of an earlier attempt or upload of this file, or a new one. */
  async function open(signal: AbortSignal): Promise<OpenUpload> {
    const call = callWith(signal)
    let fresh: SavedUpload | undefined
    const reopen = async (before: SavedUpload) => {
      await saver?.settled()
      saved = before
      saver = key ? createSaver(store, before) : undefined
      // The state is saved before the request, so that even a crash cannot create a second asset.
      await saver?.save()
      try {
        return await openSession(request, source as Source, {
          saved: before,
          call,
          isFirst: !isOpen,
          // An idempotency key of the caller belongs to the old content: it cannot start another upload.
          mayDrop: !isRequired && options.idempotencyKey === undefined,
        })
      } catch (error) {
        if (before.id || !isRefusal(error)) throw error
        // Later uploads of this file must not repeat a request that the service has refused.
        await forget()
        if (before !== fresh) return undefined
        if (source?.minSize === undefined) throw error
        throw (await import('../on-demand.ts')).explainUnknownLength(source, error)
      }
    }
    const isRequired = isOpen || typeof options.resume === 'string'
    const before = await findState(call)
    if (given && before && !isOpen) return openGivenSession(source as Source, before, given)
    const opened = before && (await reopen(before))
    if (opened) return opened
    if (isRequired) throw uploadEnded()
    const declared = options.sha256
    // The Node client replaces `true` by a function. For other inputs, the service refuses it.
    const sha256 = (typeof declared === 'function' ? await declared() : declared) as string
    fresh = newSaved(source as Source, {
      ...options,
      sha256,
      key,
      owner: context.owner,
      newName: options.name,
    })
    const mayShare = key && !before && options.resume !== false && !options.idempotencyKey
    // If another process starts to upload this file at the same time, both share one upload.
    const shared = mayShare ? await store.add?.(fresh).catch(() => fresh) : fresh
    const started = (shared && (await reopen(shared))) ?? (await reopen(fresh))
    if (!started) throw uploadEnded()
    return started
  }

  async function forget(): Promise<void> {
    await saver?.forget()
    saver = undefined
    saved = undefined
  }

  async function run(signal: AbortSignal): Promise<Asset> {
    const opened = await open(signal)
    isOpen = true
    // The API key was replaced by another one of the same account.
    opened.saved.owner = context.owner
    retryPolicy.succeeded()
    await move(opened, signal)
    await saver?.save()
    products ??= await attach(opened, signal)
    const asset = await sendAndComplete(source as Source, opened, signal)
    await saver?.forget()
    return products ? { ...asset, products } : asset
  }

  /** An upload that is resumed may have been started from another folder. */
  async function move({ saved: kept, session }: OpenUpload, signal: AbortSignal): Promise<void> {
    if (options.path === undefined) return
    const path = options.path?.normalize('NFC') || undefined
    if (path === kept.path) return
    const { moveSession } = await import('../on-demand.ts')
    await moveSession(request, session, { ...callWith(signal), path: path ?? null })
    kept.path = path
  }

  /** Runs before the first byte is sent, so that unknown products are refused early. */
  async function attach({ session }: OpenUpload, signal: AbortSignal): Promise<Asset['products']> {
    if (!options.attach) return undefined
    const call = callWith(signal)
    const { attachSession } = await import('../on-demand.ts')
    try {
      return await attachSession(request, session, { ...call, body: options.attach })
    } catch (error) {
      if (isRefusal(error) && session.received.size === 0) {
        await dropSession(request, session, call)
        await forget()
      }
      throw error
    }
  }

  async function sendAndComplete(
    from: Source,
    to: OpenUpload,
    signal: AbortSignal,
  ): Promise<Asset> {
    const { session } = to
    const call = callWith(signal)
    for (let round = 1; ; round += 1) {
      const received = new Map([...session.received].map(([part, { size }]) => [part, size]))
      meter.begin({ total: from.size, parts: countParts(from.size, session.chunkSize), received })
      options.onState('sending')
      await sendAll(from, to, signal)
      options.onState('finishing')
      await checkUnchanged(from, to, signal)
      try {
        return await completeSession(request, session, call)
      } catch (error) {
        // The storage lacks a part, or has other bytes for it. Read which parts it has, and send the others.
        if (!isStowageError(error, 'invalid') || round === MAX_ROUNDS) throw error
        options.onProblem(error)
        await pause(retryDelay(round, retry), signal)
        await renewSession(request, session, { call, isStrict: true })
      }
    }
  }

  /** Sends all parts. A stream of unknown length takes several rounds: each ends when another size must be declared. */
  async function sendAll(from: Source, to: OpenUpload, signal: AbortSignal): Promise<void> {
    const { chunkSize } = to.session
    for (let isOpen = from.nextSize !== undefined; ; ) {
      const { size: total } = from
      meter.resize({ total, parts: countParts(total, chunkSize), isOpen })
      await send(from, to, signal)
      if (!isOpen) return
      const { declareNext } = await import('../on-demand.ts')
      isOpen = await declareNext(request, {
        source: from,
        session: to.session,
        call: callWith(signal),
      })
    }
  }

  function send(from: Source, { session, saved: kept }: OpenUpload, signal: AbortSignal) {
    let renewing: Promise<void> | undefined
    return sendParts({
      ...options,
      queue,
      source: from,
      session,
      retryPolicy,
      retry,
      stallMs: context.stallMs,
      storageContact: context.storageContact,
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

  /** Checks the file again before completing: parts that were sent early may have changed since. */
  async function checkUnchanged(from: Source, to: OpenUpload, signal: AbortSignal): Promise<void> {
    const { session, saved: kept } = to
    const check = { session, digests: kept.digests, signal }
    const comparison = await from.compare(kept.version)
    const isUnchanged =
      comparison === 'same' ||
      // A part without a digest cannot be checked. The next upload of this file sends it again.
      (comparison === 'unsure' &&
        (!from.isWatched || !(await checkReceivedParts(from, check)).length))
    if (!isUnchanged) throw fileChanged(from.name)
  }

  async function cancel(isBrief = false): Promise<void> {
    if (!saved && isReadOnce(file)) return
    try {
      const call = isBrief ? BRIEF_CALL : callWith()
      saved = await findState(call)
      // If the session is unknown, its response may have been lost: request it again to cancel it.
      const session = saved?.id
        ? await findSession(request, { id: saved.id, uploadId: saved.uploadId }, call)
        : saved && (await requestSession(request, saved, call))
      if (session) await cancelSession(request, session, call)
    } catch (error) {
      // There is nothing to cancel: the upload no longer exists or was refused, or its file cannot be read.
      if (!NOTHING_TO_CANCEL.test((error as StowageError).code)) throw error
    }
    if (saved) await (saver ?? createSaver(store, saved)).forget()
  }

  return {
    run,
    cancel,
    id: () => saved?.id,
    async close() {
      // Another upload of this file may start now, and must not read incomplete state.
      await saver?.settled()
      active.delete(fileKey)
      closing.abort(null)
      const closed = opening?.then((opened) => opened.close()).catch(() => {})
      // Do not wait for a stream whose first part is still being read.
      if (source) await closed
    },
  }
}

/**
 * Whether the service did nothing because of the request itself, so that the same request is refused again. Without
 * valid credentials, it is unknown what an earlier request has done.
 */
function isRefusal(error: unknown): boolean {
  if (isTransient(error) || !isStowageError(error)) return false
  return error.status > 0 && !/^(bad_response|unauthenticated|key_expired)$/.test(error.code)
}
