import { type Client, isStowageError, type Progress } from '@stowage/client'
import { errorWords } from '../format/error-text.ts'
import { bytesToReserve, findRoom, type Refusal } from './check-storage.ts'
import { findOffers, isFileOf, type OfferedUpload, whyNotFileOf } from './resumable-upload.ts'
import { isOver, isUnderWay, type UploadItem } from './upload-item.ts'
import { holdWhile } from './upload-lock.ts'

export interface UploadsState {
  items: readonly UploadItem[]
  offered: readonly OfferedUpload[]
  refusal: Refusal | undefined
}

/** Everything that is being sent, wherever people are in the app. */
export interface UploadStore {
  /** Told of changes, progress among them at most every 100 ms. */
  subscribe(listener: () => void): () => void
  read(): UploadsState
  /** Asks for room first: what does not fit is refused as a whole, before a byte of it is sent. */
  add(files: readonly File[]): Promise<void>
  addFitting(): void
  dismissRefusal(): void
  pause(key: number): void
  resume(key: number): void
  /** Goes on with what had stopped. */
  retry(key: number): void
  /** Takes it out of the tray; what is not finished is cancelled at the service. */
  remove(key: number): void
  pauseAll(): void
  resumeAll(): void
  cancelAll(): void
  clearDone(): void
  /** Another file is refused in the offer's own words. */
  goOnWith(offer: OfferedUpload, file: File): void
  giveUp(offer: OfferedUpload): Promise<void>
  /** Stops everything, so that it can be gone on with. */
  close(): void
}

export interface StoreEvents {
  onReady(): void
  onProblem(error: unknown): void
}

const TELL_MS = 100
const AT_FIRST: Progress = {
  state: 'waiting',
  bytes: 0,
  total: 0,
  rate: 0,
  secondsLeft: undefined,
  parts: { done: 0, total: 0 },
  problem: undefined,
}

export function openUploadStore(client: Client, events: StoreEvents): UploadStore {
  const listeners = new Set<() => void>()
  const items = new Map<number, UploadItem>()
  const closing = new AbortController()
  let offered: OfferedUpload[] = []
  let refusal: Refusal | undefined
  let state: UploadsState = { items: [], offered, refusal }
  let lastKey = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function tell(): void {
    clearTimeout(timer)
    timer = undefined
    state = { items: [...items.values()], offered, refusal }
    for (const listener of listeners) listener()
  }

  function change(key: number, changes: Partial<UploadItem>): void {
    const item = items.get(key)
    if (item === undefined) return
    items.set(key, { ...item, ...changes })
    timer ??= setTimeout(tell, TELL_MS)
  }

  function start(key: number, file: File, offer?: OfferedUpload): void {
    let isHeld = false
    const handle = client.upload(file, {
      resume: offer?.id,
      signal: closing.signal,
      onProgress(progress) {
        change(key, { progress, id: handle.id })
        if (isHeld || handle.id === undefined) return
        isHeld = true
        holdWhile(ended, file)
      },
    })
    const ended = handle.finally(() => change(key, { progress: handle.progress, id: handle.id }))
    ended.then(events.onReady, (error: unknown) => {
      if (isStowageError(error, 'cancelled')) return
      if (offer === undefined || !isStowageError(error, 'file_changed')) change(key, { error })
      else {
        items.delete(key)
        putOffer({ ...offer, problem: errorWords(error) })
      }
    })
    const begin = { progress: AT_FIRST, error: undefined, id: undefined }
    items.set(key, { key, file, offer, handle, ...begin })
  }

  function take(files: readonly File[]): void {
    for (const file of files) {
      lastKey += 1
      start(lastKey, file)
    }
    tell()
  }

  function putOffer(offer: OfferedUpload): void {
    const isThere = offered.some(({ id }) => id === offer.id)
    const put = (one: OfferedUpload) => (one.id === offer.id ? offer : one)
    offered = isThere ? offered.map(put) : [...offered, offer]
    tell()
  }

  function withdraw({ id }: OfferedUpload): void {
    offered = offered.filter((offer) => offer.id !== id)
    tell()
  }

  async function readOffers(): Promise<void> {
    for await (const offer of findOffers(client)) if (!closing.signal.aborted) putOffer(offer)
  }

  function remove(key: number): void {
    const item = items.get(key)
    items.delete(key)
    tell()
    if (item === undefined || isOver(item)) return
    item.handle.cancel().catch((error: unknown) => {
      if (!isStowageError(error, 'already_uploaded')) events.onProblem(error)
    })
  }

  function each(does: (item: UploadItem) => unknown): void {
    for (const item of [...items.values()]) does(item)
  }

  function goOnWith(offer: OfferedUpload, file: File): void {
    const problem = whyNotFileOf(offer, file)
    if (problem !== undefined) {
      putOffer({ ...offer, problem })
      return
    }
    lastKey += 1
    start(lastKey, file, offer)
    withdraw(offer)
  }

  readOffers().catch(() => {
    // Without them nothing is lost: the same file, sent again, goes on too.
  })

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    read: () => state,
    async add(files) {
      const offerOf = (file: File) => offered.find((offer) => isFileOf(offer, file))
      // What was begun before has its room already.
      const fresh = files.filter((file) => offerOf(file) === undefined)
      for (const file of files) {
        const offer = offerOf(file)
        if (offer !== undefined) goOnWith(offer, file)
      }
      if (fresh.length === 0) return
      const { available } = await client.account()
      const room = findRoom({
        files: fresh,
        refused: refusal,
        available: Math.max(0, available - bytesToReserve(items.values())),
      })
      refusal = room.refusal
      take(room.taken)
    },
    addFitting() {
      const { fitting = [] } = refusal ?? {}
      refusal = undefined
      take(fitting)
    },
    dismissRefusal() {
      refusal = undefined
      tell()
    },
    pause: (key) => items.get(key)?.handle.pause(),
    resume: (key) => items.get(key)?.handle.resume(),
    retry(key) {
      const item = items.get(key)
      if (item !== undefined) start(key, item.file, item.offer)
      tell()
    },
    remove,
    pauseAll: () => each((item) => isUnderWay(item) && item.handle.pause()),
    resumeAll: () => each((item) => item.progress.state === 'paused' && item.handle.resume()),
    cancelAll: () => each((item) => !isOver(item) && remove(item.key)),
    clearDone() {
      each((item) => isOver(item) && items.delete(item.key))
      tell()
    },
    goOnWith,
    async giveUp(offer) {
      withdraw(offer)
      try {
        await client.cancelUpload(offer.id)
      } catch (error) {
        putOffer({ ...offer, problem: errorWords(error) })
      }
    },
    close() {
      clearTimeout(timer)
      closing.abort(new Error('The page of these uploads was left.'))
    },
  }
}
