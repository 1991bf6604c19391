import {
  type Client,
  isStowageError,
  type Progress,
  type ReplaceOptions,
  type Upload,
  type UploadOptions,
} from '@stowage/client'
import { isUnreachable, whenReachable } from '../components/reachable.ts'
import { errorText } from '../format.ts'
import {
  bytesToReserve,
  divideByStorage,
  findConflicts,
  type NameConflict,
  withoutSame,
} from './check-files.ts'
import type { PickedFile } from './picked-file.ts'
import {
  findResumableUploads,
  findUploadOf,
  lockUpload,
  mismatchText,
  type ResumableUpload,
} from './resumable-upload.ts'
import { isActive, isEnded, type UploadItem } from './upload-item.ts'
import type { StoreEvents, UploadStore, UploadsState, UploadTarget } from './uploads-state.ts'

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
  let refused: readonly PickedFile[] = []
  let retrying: Promise<number> | undefined
  let conflicts: readonly NameConflict[] = []
  let waiting: readonly PickedFile[] = []
  let stopWaiting = new AbortController()
  let target: UploadTarget | undefined
  let state: UploadsState = { items: [], resumable, refused, conflicts, waiting, target }
  let lastKey = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function notifyListeners(): void {
    clearTimeout(timer)
    timer = undefined
    state = { items: [...items.values()], resumable, refused, conflicts, waiting, target }
    for (const listener of listeners) listener()
  }

  function change(key: number, changes: Partial<UploadItem>): void {
    const item = items.get(key)
    if (item === undefined) return
    items.set(key, { ...item, ...changes })
    timer ??= setTimeout(notifyListeners, NOTIFY_MS)
  }

  function start(key: number, picked: PickedFile, resumed?: ResumableUpload): void {
    const { file, folder, attach, replaces } = picked
    let isLocked = false
    const handle = sendFile(client, picked, {
      resume: resumed?.id,
      signal: closing.signal,
      onProgress(progress) {
        change(key, { progress: withReceived(progress, resumed), id: handle.id })
        if (isLocked || handle.id === undefined) return
        isLocked = true
        lockUpload(file, ended)
      },
    })
    const ended = handle.finally(() => change(key, { progress: handle.progress, id: handle.id }))
    const onReady = () => events.onReady(picked)
    ended.then(onReady, (error: unknown) => {
      if (isStowageError(error, 'cancelled')) return
      if (isStowageError(error, 'storage_exceeded')) {
        // Another upload was faster. The file is listed with those that the plan had no room for.
        items.delete(key)
        refuse([picked])
      } else if (resumed === undefined || !isStowageError(error, 'file_changed'))
        change(key, { error })
      else {
        items.delete(key)
        putResumable({ ...resumed, problem: errorText(error) })
      }
    })
    const progress = withReceived(INITIAL_PROGRESS, resumed)
    const initial = { progress, error: undefined, id: undefined }
    items.set(key, { key, file, folder, attach, replaces, resumed, handle, ...initial })
  }

  function startAll(files: readonly PickedFile[]): void {
    for (const picked of files) {
      lastKey += 1
      start(lastKey, picked)
    }
    notifyListeners()
  }

  function refuse(files: readonly PickedFile[]): void {
    refused = [...withoutSame(refused, files), ...files]
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

  async function remove(key: number): Promise<void> {
    const item = items.get(key)
    items.delete(key)
    notifyListeners()
    if (item === undefined || isEnded(item)) return
    await item.handle.cancel().catch((error: unknown) => {
      if (!isStowageError(error, 'already_uploaded')) events.onCancelError(error)
    })
  }

  function forEachItem(action: (item: UploadItem) => unknown): void {
    for (const item of [...items.values()]) action(item)
  }

  function retry(key: number): void {
    const item = items.get(key)
    if (item !== undefined) start(key, item, item.resumed)
    notifyListeners()
  }

  function retryUnreached({ key, progress, error, handle }: UploadItem): void {
    if (progress.state === 'stopped' && isUnreachable(error)) retry(key)
    else if (progress.state !== 'paused' && isUnreachable(progress.problem)) {
      // Ends the pause before the next try, which may be long.
      handle.pause()
      handle.resume()
    }
  }

  function resumeWith(upload: ResumableUpload, file: File): void {
    const problem = mismatchText(upload, file)
    if (problem !== undefined) {
      putResumable({ ...upload, problem })
      return
    }
    lastKey += 1
    const { replaces } = upload
    start(lastKey, { file, folder: '', attach: undefined, replaces }, upload)
    removeResumable(upload)
  }

  /** Repeats the call until the service responds. Until then, the files are shown as waiting. */
  async function untilReached<Result>(
    files: readonly PickedFile[],
    call: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { signal } = stopWaiting
    const isOurs = (picked: PickedFile) => files.includes(picked)
    const setWaiting = (isWaiting: boolean) => {
      const others = waiting.filter((picked) => !isOurs(picked))
      waiting = isWaiting ? [...others, ...files] : others
      notifyListeners()
    }
    try {
      return await whenReachable(call, {
        signal: AbortSignal.any([signal, closing.signal]),
        onWait: () => setWaiting(true),
      })
    } catch (error) {
      if (!signal.aborted && !closing.signal.aborted) throw error
      return undefined
    } finally {
      if (waiting.some(isOurs)) setWaiting(false)
    }
  }

  async function discard(upload: ResumableUpload): Promise<void> {
    removeResumable(upload)
    try {
      const { id, replacement } = upload
      await client.cancelUpload(id, replacement ? { upload_id: replacement } : {})
    } catch (error) {
      putResumable({ ...upload, problem: errorText(error) })
    }
  }

  /** The service accepts one replacement of an asset at a time. */
  async function discardEarlier({ replaces }: PickedFile): Promise<void> {
    const isEarlier = (one: { replaces?: PickedFile['replaces'] }) =>
      replaces !== undefined && one.replaces?.id === replaces.id
    const stopped = [...items.values()].filter(
      (item) => isEarlier(item) && item.progress.state === 'stopped',
    )
    await Promise.all([
      ...stopped.map(({ key }) => remove(key)),
      ...resumable.filter(isEarlier).map(discard),
    ])
  }

  async function addNew(files: readonly PickedFile[]): Promise<void> {
    const found = await untilReached(files, async () => {
      const { assets } = await client.account({ retry: { tries: 1 } })
      return findConflicts(client, files, assets)
    })
    if (found === undefined) return
    conflicts = [...conflicts, ...found]
    notifyListeners()
    const taken = new Set(found.map(({ picked }) => picked))
    const others = files.filter((picked) => !taken.has(picked))
    if (others.length > 0) await acceptFitting(others)
  }

  async function acceptFitting(files: readonly PickedFile[]): Promise<number> {
    const account = await untilReached(files, () => client.account({ retry: { tries: 1 } }))
    if (account === undefined) return 0
    const available = Math.max(0, account.available - bytesToReserve(items.values()))
    const divided = divideByStorage(files, available)
    refused = withoutSame(refused, divided.accepted)
    startAll(divided.accepted)
    if (divided.refused.length > 0) refuse(divided.refused)
    return divided.accepted.length
  }

  async function add(files: readonly PickedFile[]): Promise<void> {
    const newFiles = files.filter((picked) => {
      const upload = findUploadOf(resumable, picked)
      // A resumed upload needs no check: its storage is reserved.
      if (upload !== undefined) resumeWith(upload, picked.file)
      return upload === undefined
    })
    const { replacing = [], others = [] } = Object.groupBy(newFiles, ({ replaces }) =>
      replaces === undefined ? 'others' : 'replacing',
    )
    await Promise.all(replacing.map(discardEarlier))
    if (replacing.length > 0) await acceptFitting(replacing)
    if (others.length > 0) await addNew(others)
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
    add,
    resolveConflict(choice, { isForAll }) {
      const decided = conflicts.slice(0, isForAll ? undefined : 1)
      conflicts = conflicts.slice(decided.length)
      notifyListeners()
      if (choice === 'skip') return
      const isReplacing = choice === 'replace'
      const files = decided.map(({ picked, existing: { id, filename } }) =>
        isReplacing ? { ...picked, replaces: { id, filename } } : picked,
      )
      const accept = isReplacing ? add : acceptFitting
      accept(files).catch(events.onAddError)
    },
    cancelWaiting() {
      waiting = []
      stopWaiting.abort(new Error('The files were removed from the tray.'))
      stopWaiting = new AbortController()
      notifyListeners()
    },
    setTarget(changed) {
      target = changed
      notifyListeners()
    },
    retryRefused() {
      retrying ??= acceptFitting(refused).finally(() => {
        retrying = undefined
      })
      return retrying
    },
    dismissRefused() {
      refused = []
      notifyListeners()
    },
    pause: (key) => items.get(key)?.handle.pause(),
    resume: (key) => items.get(key)?.handle.resume(),
    retry,
    remove,
    pauseAll: () => forEachItem((item) => isActive(item) && item.handle.pause()),
    resumeAll: () =>
      forEachItem((item) => item.progress.state === 'paused' && item.handle.resume()),
    cancelAll: () => forEachItem((item) => !isEnded(item) && remove(item.key)),
    clearDone() {
      forEachItem((item) => isEnded(item) && items.delete(item.key))
      notifyListeners()
    },
    retryUnreached: () => forEachItem(retryUnreached),
    resumeWith,
    discard,
    close() {
      clearTimeout(timer)
      closing.abort(new Error('The upload store was closed.'))
    },
  }
}

interface SendOptions extends Pick<ReplaceOptions, 'signal' | 'onProgress'> {
  /**
   * The ID of the asset whose upload is resumed. Not used for a replacement: the client finds the unfinished
   * replacement by its file.
   */
  resume: UploadOptions['resume']
}

/** Uploads the file as a new asset or, if it replaces an asset, as its new version. */
function sendFile(
  client: Client,
  { file, attach, replaces }: PickedFile,
  { resume, ...options }: SendOptions,
): Upload {
  if (replaces === undefined) return client.upload(file, { ...options, resume, attach })
  return client.replace(replaces.id, file, { ...options, name: replaces.newName })
}

/** Until the client has compared the file with its upload, the progress shows the bytes that the service received. */
function withReceived(progress: Progress, resumed: ResumableUpload | undefined): Progress {
  if (progress.parts.total > 0 || resumed?.received === undefined) return progress
  return { ...progress, bytes: resumed.received }
}
