import type { Asset, ProductReferences } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import { onAbort, type RetryOptions } from '../retry-policy.ts'
import { createLegs, type LegContext, type Legs } from './attempts.ts'
import { isOnce } from './input.ts'
import { createMeter, type Meter, type Progress, type UploadState } from './progress.ts'

export interface UploadOptions {
  /** The file's name at the service; left out: its own. */
  name?: string | undefined
  /** Its media type; left out: its own, if it tells. */
  mime?: string | undefined
  /** The length of a stream in bytes, if it is known. Needed for streams of more than 160 GB. */
  size?: number | undefined
  /**
   * Stops the upload, which rejects with the signal's reason and can be resumed later. Of a stream, which
   * can be read once, it is cancelled.
   */
  signal?: AbortSignal | undefined
  /** At most every tenth of a second, and at every change of the state. */
  onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Products to link the asset to. Unknown ones are refused with `invalid` before a byte is sent, and
   * nothing is left at the service.
   */
  attach?: ProductReferences | undefined
  /** The same key with the same file gives the same asset. Left out: one is made up and kept. */
  idempotencyKey?: string | undefined
  /**
   * Left out: an unfinished upload of the same file is resumed; if the file changed since, that
   * upload is cancelled and a new one begins. False: it is cancelled in any case. An asset's ID: that
   * upload is resumed, wherever it was begun; a file that is known to differ is refused with
   * `file_changed`.
   */
  resume?: boolean | string | undefined
  /** For this upload, in place of the client's. */
  retry?: RetryOptions | undefined
}

/**
 * An upload under way: a promise of the asset, with controls. So an async function that returns it
 * waits for its end: return it inside of an object where only the handle is meant.
 * If nobody awaits it, its failure bothers nobody either.
 */
export interface Upload extends Promise<Asset> {
  /** The asset's id, once the service has given one. */
  readonly id: string | undefined
  readonly progress: Progress
  /** Stops what is being sent. Parts that are not whole are sent again. */
  pause(): void
  resume(): void
  /**
   * Gives it up: the service removes what it has, and the upload rejects with `cancelled`. Rejects
   * itself with `already_uploaded` when the file was there before, and the upload resolves then.
   */
  cancel(): Promise<void>
}

const PROGRESS_MS = 100

const NOTHING_SENT = {
  bytes: 0,
  total: 0,
  rate: 0,
  secondsLeft: undefined,
  parts: { done: 0, total: 0 },
}

/** What a leg is ended with by us, for a pause or to cancel; never seen outside. */
const BREAK = 'break'

export function startUpload(context: LegContext, file: unknown, options: UploadOptions): Upload {
  const { signal: outer } = options
  /** Made when it is its turn, and dropped at its end: thousands may wait, or be held by their callers. */
  let legs: Legs | undefined
  let meter: Meter | undefined
  let last: Pick<Upload, 'id' | 'progress'> | undefined
  let state: UploadState = 'waiting'
  let problem: Error | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPaused = false
  let current: AbortController | undefined
  let wakeUp = () => {}
  let isCancelling = false

  const readProgress = (): Progress =>
    last?.progress ?? { state, ...(meter?.read() ?? NOTHING_SENT), problem }

  /** Soon, if it is of no new state: so that what comes at once is told once, and the last of it too. */
  function tell(next?: UploadState): void {
    if (next) {
      state = next
      tellNow()
    } else timer ??= setTimeout(tellNow, PROGRESS_MS)
  }

  function tellNow(): void {
    clearTimeout(timer)
    timer = undefined
    options.onProgress?.(readProgress())
  }

  function openLegs(): Legs {
    meter ??= createMeter()
    legs ??= createLegs(context, file, {
      ...options,
      meter,
      onState: tell,
      onProblem(error) {
        if (problem === error) return
        problem = error
        tell(state)
      },
      onProgress: () => tell(),
    })
    return legs
  }

  /** Leg after leg: each pause ends one. */
  async function run(): Promise<Asset> {
    for (;;) {
      current = new AbortController()
      const { signal } = current
      try {
        if (isCancelling) await cancelAtService()
        outer?.throwIfAborted()
        if (isPaused) await resumed(signal)
        return await runLeg(signal)
      } catch (error) {
        // Who cancels means it, whatever else has ended the leg in the same moment.
        if (error !== BREAK && !isCancelling) throw error
      }
    }
  }

  async function runLeg(signal: AbortSignal): Promise<Asset> {
    const leave = await context.queue.enter(signal)
    return openLegs().run(signal).finally(leave)
  }

  /** Unless it was there before: then the next leg finds it so. */
  async function cancelAtService(): Promise<void> {
    isCancelling = false
    isPaused = false
    try {
      await openLegs().cancel()
    } catch (error) {
      if ((error as StowageError).status === 409) return
      throw error
    }
    throw new StowageError('cancelled', 'The upload was cancelled.')
  }

  async function resumed(signal: AbortSignal): Promise<void> {
    tell('paused')
    await new Promise<void>((resolve, reject) => {
      wakeUp = resolve
      onAbort(signal, () => reject(signal.reason))
    })
    tell('waiting')
  }

  async function whole(): Promise<Asset> {
    const forget = onAbort(outer, () => current?.abort(outer?.reason))
    try {
      context.check(file)
      const asset = await run()
      problem = undefined
      meter?.end()
      tell('ready')
      return asset
    } catch (error) {
      // No later call could resume it, so its bytes are released.
      if (isOnce(file) && !isCancelled(error)) await legs?.cancel(true).catch(() => {})
      tell(isCancelled(error) ? 'cancelled' : 'stopped')
      throw error
    } finally {
      forget()
      await legs?.close()
      if (state !== 'stopped') drop()
    }
  }

  function drop(): void {
    last = { id: legs?.id(), progress: readProgress() }
    legs = undefined
    meter = undefined
  }

  async function cancel(): Promise<void> {
    if (state === 'stopped') {
      const stopped = openLegs()
      await stopped.cancel().finally(stopped.close)
      return tell('cancelled')
    }
    isCancelling = true
    current?.abort(BREAK)
    await promise.then(
      () => {
        throw new StowageError('already_uploaded', 'The file is stored already.')
      },
      (error) => {
        if (!isCancelled(error)) throw error
      },
    )
  }

  // Begun in the next turn, so that the caller has the handle before it is told anything.
  const promise = Promise.resolve().then(whole)
  promise.catch(() => {})

  const controls = {
    pause() {
      if (isPaused) return
      isPaused = true
      current?.abort(BREAK)
    },
    resume() {
      isPaused = false
      wakeUp()
    },
    cancel,
  }
  const facts = { id: { get: () => legs?.id() ?? last?.id }, progress: { get: readProgress } }
  return Object.assign(Object.defineProperties(promise, facts), controls) as Upload
}

function isCancelled(error: unknown): boolean {
  return isStowageError(error, 'cancelled')
}
