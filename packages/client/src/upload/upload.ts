import type { Asset } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import { refuseUnknown } from '../options.ts'
import { onAbort } from '../pause.ts'
import { RETRY_OPTIONS } from '../request.ts'
import { type AttemptOptions, type Attempts, createAttempts } from './attempts.ts'
import { isReadOnce } from './input.ts'
import { createMeter, type Meter, type Progress, type UploadState } from './progress.ts'
import type { Upload, UploadContext, UploadOptions } from './types.ts'

const PROGRESS_MS = 100

const NOTHING_SENT = {
  bytes: 0,
  total: 0,
  rate: 0,
  secondsLeft: undefined,
  parts: { done: 0, total: 0 },
}

/** The reason to abort an attempt for a pause or a cancellation. Callers never see it. */
const INTERRUPTED = 'interrupted'

export function startUpload(
  context: UploadContext,
  file: unknown,
  options: UploadOptions & Pick<AttemptOptions, 'replaces'>,
): Upload {
  const { signal: outer } = options
  /**
   * Undefined before the upload starts and after it ends, to save memory: a caller may keep thousands of waiting or
   * finished uploads. A stopped upload keeps it, because it can still be cancelled.
   */
  let attempts: Attempts | undefined
  let meter: Meter | undefined
  let last: Pick<Upload, 'id' | 'progress'> | undefined
  let state: UploadState = 'waiting'
  let problem: Error | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPaused = false
  let current: AbortController | undefined
  let unpause = () => {}
  let isCancelling = false

  const readProgress = (): Progress =>
    last?.progress ?? { state, ...(meter?.read() ?? NOTHING_SENT), problem }

  /** Reports a new state immediately, and other progress with a delay, so that frequent updates are merged. */
  function report(next?: UploadState): void {
    if (next) {
      state = next
      reportNow()
    } else timer ??= setTimeout(reportNow, PROGRESS_MS)
  }

  function reportNow(): void {
    clearTimeout(timer)
    timer = undefined
    options.onProgress?.(readProgress())
  }

  function openAttempts(): Attempts {
    meter ??= createMeter()
    attempts ??= createAttempts(context, file, {
      ...options,
      meter,
      onState: report,
      onProblem(error) {
        if (problem === error) return
        problem = error
        report(state)
      },
      onProgress: () => report(),
    })
    return attempts
  }

  /** Runs attempts until one succeeds or fails. A pause ends an attempt. */
  async function run(): Promise<Asset> {
    for (;;) {
      current = new AbortController()
      const { signal } = current
      try {
        if (isCancelling) await cancelAtService()
        outer?.throwIfAborted()
        if (isPaused) await untilResumed(signal)
        return await runAttempt(signal)
      } catch (error) {
        // Cancelling takes precedence over any other failure at the same time.
        if (error !== INTERRUPTED && !isCancelling) throw error
      }
    }
  }

  async function runAttempt(signal: AbortSignal): Promise<Asset> {
    const leave = await context.queue.enter(signal)
    return openAttempts().run(signal).finally(leave)
  }

  /** Returns if the file was already complete: the next attempt then resolves with its asset. */
  async function cancelAtService(): Promise<void> {
    isCancelling = false
    isPaused = false
    try {
      await openAttempts().cancel()
    } catch (error) {
      if ((error as StowageError).status === 409) return
      throw error
    }
    throw new StowageError('cancelled', 'The upload was cancelled.')
  }

  async function untilResumed(signal: AbortSignal): Promise<void> {
    report('paused')
    await new Promise<void>((resolve, reject) => {
      unpause = resolve
      onAbort(signal, () => reject(signal.reason))
    })
    report('waiting')
  }

  async function runToEnd(): Promise<Asset> {
    const removeListener = onAbort(outer, () => current?.abort(outer?.reason))
    try {
      checkOptions(options)
      context.check(file)
      checkSessionOptions(file, options)
      const asset = await run()
      problem = undefined
      meter?.end()
      report('ready')
      return asset
    } catch (error) {
      // A stream cannot be resumed by a later call, so its upload is cancelled.
      if (isReadOnce(file) && !isCancelled(error)) await attempts?.cancel(true).catch(() => {})
      report(isCancelled(error) ? 'cancelled' : 'stopped')
      throw error
    } finally {
      removeListener()
      await attempts?.close()
      if (state !== 'stopped') drop()
    }
  }

  function drop(): void {
    last = { id: attempts?.id(), progress: readProgress() }
    attempts = undefined
    meter = undefined
  }

  async function cancel(): Promise<void> {
    if (state === 'stopped') {
      const stopped = openAttempts()
      await stopped.cancel().finally(stopped.close)
      return report('cancelled')
    }
    isCancelling = true
    current?.abort(INTERRUPTED)
    await promise.then(
      () => {
        throw new StowageError('already_uploaded', 'The file is already stored.')
      },
      (error) => {
        if (!isCancelled(error)) throw error
      },
    )
  }

  // Starts in a microtask, so that the caller has the handle before onProgress is called.
  const promise = Promise.resolve().then(runToEnd)
  promise.catch(() => {})

  const controls = {
    pause() {
      if (isPaused) return
      isPaused = true
      current?.abort(INTERRUPTED)
    },
    resume() {
      isPaused = false
      unpause()
    },
    cancel,
  }
  const getters = { id: { get: () => attempts?.id() ?? last?.id }, progress: { get: readProgress } }
  return Object.assign(Object.defineProperties(promise, getters), controls) as Upload
}

const REPLACE_OPTIONS = 'name mime size sha256 signal onProgress idempotencyKey resume retry'

/** Throws a TypeError for an option that does not exist, or not for a replacement. */
function checkOptions({ replaces, ...options }: Parameters<typeof startUpload>[2]): void {
  const more = replaces === undefined ? ' path attach session backend' : ''
  refuseUnknown(options, REPLACE_OPTIONS + more)
  refuseUnknown(options.retry ?? {}, RETRY_OPTIONS)
}

/** The options that belong to the request that created the session. */
const REQUEST_OPTIONS = [
  'name',
  'path',
  'mime',
  'size',
  'sha256',
  'attach',
  'idempotencyKey',
  'resume',
]

/** Throws a TypeError for options that cannot be combined with a session. */
function checkSessionOptions(file: unknown, options: UploadOptions): void {
  const { session, backend } = options
  if (session === undefined) {
    if (backend !== undefined) throw new TypeError('“backend” requires a “session”.')
    return
  }
  if (!Array.isArray(session?.urls) || typeof session.upload_id !== 'string') {
    throw new TypeError('Invalid “session”. Pass the response of POST /assets/signed.')
  }
  const given = REQUEST_OPTIONS.find((name) => options[name as keyof UploadOptions] !== undefined)
  // A stream is split into parts of another size than those of the session.
  const other = isReadOnce(file) ? 'a stream' : given && `“${given}”`
  if (other) throw new TypeError(`“session” cannot be combined with ${other}.`)
}

function isCancelled(error: unknown): boolean {
  return isStowageError(error, 'cancelled')
}
