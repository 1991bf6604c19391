import { type Client, isStowageError, type Progress } from '@stowage/client'
import { errorText } from '../format/error-text.ts'
import { bytesToReserve, checkStorage, type StorageShortage } from './check-storage.ts'
import {
  findResumableUploads,
  isFileOf,
  mismatchText,
  type ResumableUpload,
} from './resumable-upload.ts'
import { isActive, isEnded, type UploadItem } from './upload-item.ts'
import { holdWhile } from './upload-lock.ts'

export interface UploadsState {
  items: readonly UploadItem[]
  resumable: readonly ResumableUpload[]
  shortage: StorageShortage | undefined
}

/** All uploads of this tab. They are independent of the page that is open. */
export interface UploadStore {
  /** Calls the listener after changes; for progress at most every 100 ms. */
  subscribe(listener: () => void): () => void
  read(): UploadsState
  /** Checks the available storage first. If the files do not fit together, none of them is uploaded. */
  add(files: readonly File[]): Promise<void>
  addFitting(): void
  dismissShortage(): void
  pause(key: number): void
  resume(key: number): void
  /** Resumes an upload that failed. */
  retry(key: number): void
  /** Removes the upload from the tray and cancels it unless it has finished. */
  remove(key: number): void
  pauseAll(): void
  resumeAll(): void
  cancelAll(): void
  clearDone(): void
  /** A file that does not match sets the `problem` of the upload. */
  resumeWith(upload: ResumableUpload, file: File): void
  discard(upload: ResumableUpload): Promise<void>
  /** Stops all uploads. They can be resumed later. */
  close(): void
}

export interface StoreEvents {
  onReady(): void
  onCancelError(error: unknown): void
}

const NOTIFY_MS = 100
const INITIAL_PROGRESS: Progress = {
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
  let resumable: ResumableUpload[] = []
  let shortage: StorageShortage | undefined
  let state: UploadsState = { items: [], resumable, shortage }
  let lastKey = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function notifyListeners(): void {
    clearTimeout(timer)
    timer = undefined
    state = { items: [...items.values()], resumable, shortage }
    for (const listener of listeners) listener()
  }

  function change(key: number, changes: Partial<UploadItem>): void {
    const item = items.get(key)
    if (item === undefined) return
    items.set(key, { ...item, ...changes })
    timer ??= setTimeout(notifyListeners, NOTIFY_MS)
  }

  function start(key: number, file: File, resumed?: ResumableUpload): void {
    let isHeld = false
    const handle = client.upload(file, {
      resume: resumed?.id,
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
      if (resumed === undefined || !isStowageError(error, 'file_changed')) change(key, { error })
      else {
        items.delete(key)
        putResumable({ ...resumed, problem: errorText(error) })
      }
    })
    const initial = { progress: INITIAL_PROGRESS, error: undefined, id: undefined }
    items.set(key, { key, file, resumed, handle, ...initial })
  }

  function startAll(files: readonly File[]): void {
    for (const file of files) {
      lastKey += 1
      start(lastKey, file)
    }
    notifyListeners()
  }

  /** Adds the upload or replaces the one with the same ID. */
  function putResumable(upload: ResumableUpload): void {
    const isKnown = resumable.some(({ id }) => id === upload.id)
    const put = (one: ResumableUpload) => (one.id === upload.id ? upload : one)
    resumable = isKnown ? resumable.map(put) : [...resumable, upload]
    notifyListeners()
  }

  function removeResumable({ id }: ResumableUpload): void {
    resumable = resumable.filter((upload) => upload.id !== id)
    notifyListeners()
  }

  async function loadResumable(): Promise<void> {
    for await (const upload of findResumableUploads(client)) {
      if (!closing.signal.aborted) putResumable(upload)
    }
  }

  function remove(key: number): void {
    const item = items.get(key)
    items.delete(key)
    notifyListeners()
    if (item === undefined || isEnded(item)) return
    item.handle.cancel().catch((error: unknown) => {
      if (!isStowageError(error, 'already_uploaded')) events.onCancelError(error)
    })
  }

  function forEachItem(action: (item: UploadItem) => unknown): void {
    for (const item of [...items.values()]) action(item)
  }

  function resumeWith(upload: ResumableUpload, file: File): void {
    const problem = mismatchText(upload, file)
    if (problem !== undefined) {
      putResumable({ ...upload, problem })
      return
    }
    lastKey += 1
    start(lastKey, file, upload)
    removeResumable(upload)
  }

  loadResumable().catch(() => {
    // Nothing is lost: uploading the same file again resumes it too.
  })

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    read: () => state,
    async add(files) {
      const resumableOf = (file: File) => resumable.find((upload) => isFileOf(upload, file))
      // A resumed upload needs no check: its storage is reserved.
      const newFiles = files.filter((file) => resumableOf(file) === undefined)
      for (const file of files) {
        const upload = resumableOf(file)
        if (upload !== undefined) resumeWith(upload, file)
      }
      if (newFiles.length === 0) return
      const { available } = await client.account()
      const result = checkStorage({
        files: newFiles,
        previous: shortage,
        available: Math.max(0, available - bytesToReserve(items.values())),
      })
      shortage = result.shortage
      startAll(result.accepted)
    },
    addFitting() {
      const { fitting = [] } = shortage ?? {}
      shortage = undefined
      startAll(fitting)
    },
    dismissShortage() {
      shortage = undefined
      notifyListeners()
    },
    pause: (key) => items.get(key)?.handle.pause(),
    resume: (key) => items.get(key)?.handle.resume(),
    retry(key) {
      const item = items.get(key)
      if (item !== undefined) start(key, item.file, item.resumed)
      notifyListeners()
    },
    remove,
    pauseAll: () => forEachItem((item) => isActive(item) && item.handle.pause()),
    resumeAll: () =>
      forEachItem((item) => item.progress.state === 'paused' && item.handle.resume()),
    cancelAll: () => forEachItem((item) => !isEnded(item) && remove(item.key)),
    clearDone() {
      forEachItem((item) => isEnded(item) && items.delete(item.key))
      notifyListeners()
    },
    resumeWith,
    async discard(upload) {
      removeResumable(upload)
      try {
        await client.cancelUpload(upload.id)
      } catch (error) {
        putResumable({ ...upload, problem: errorText(error) })
      }
    },
    close() {
      clearTimeout(timer)
      closing.abort(new Error('The upload store was closed.'))
    },
  }
}
