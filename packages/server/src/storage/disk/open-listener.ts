import { EventEmitter, once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { OwnerSource, StorageUpload } from '../storage.ts'
import { answerOwnerCall, type OwnerCall } from './owner-calls.ts'
import type { FolderResult, ToListener, ToOwner } from './start-listener.ts'
import { type Activity, newCounters, openActivity } from './transfers.ts'

interface Listener {
  port: number
  /** Whether clients are transferring parts or files. */
  isBusy(): boolean
  activity: Pick<Activity, 'hasAny'>
  /** Throws if the thread has exited. */
  check(): void
  /** Aborts the running transfers of this upload. */
  endUpload(upload: StorageUpload): void
  /** Refuses new transfers and waits for running ones, for a limited time. Idempotent. */
  close(): Promise<void>
}

interface OpenListenerOptions {
  directory: string
  host: string
  port: number
  /** Resolves when the folders are ready. The thread starts meanwhile. */
  secret: Promise<Buffer>
  fastBody?: boolean
  ownThread?: boolean
  /** A thread that was started before. Default: a new one. */
  thread?: ListenerThread
  reserve: number
  onFailure(failure: ListenerFailure): void
  /** Called when a download finds that the bytes of an object have changed, cannot be read or do not exist. */
  onDamage?(key: string): void
  /** What the listener asks for. */
  source?: OwnerSource
  /** Creates the folder of an upload for its first part. Returns false if the upload has ended. */
  openFolder(upload: StorageUpload): Promise<boolean>
}

export interface ListenerFailure {
  message: string
  /** The listener has stopped. */
  fatal: boolean
  facts: object
}

export async function openListener(options: OpenListenerOptions): Promise<Listener> {
  const transfers = new Int32Array(new SharedArrayBuffer(4))
  const counters = newCounters()
  const activity = openActivity(counters)
  const worker =
    options.ownThread === false
      ? await openListenerHere()
      : (options.thread ?? openListenerThread())
  let state: 'open' | 'closing' | 'exited' = 'open'
  worker.on('message', (message: ToOwner) => {
    if (message.type === 'missing') options.onDamage?.(message.key)
    if (message.type === 'call') void answer(message)
    if (message.type === 'openFolder') void openFolder(message.id, message.upload)
    if (message.type !== 'failed') return
    const { type, ...facts } = message
    options.onFailure({ message: 'a storage request failed', fatal: false, facts })
    if (message.damaged !== undefined) options.onDamage?.(message.damaged)
  })

  async function start(): Promise<void> {
    const { directory, host, port, reserve, fastBody = true } = options
    const secret = (await options.secret).toString('hex')
    const settings = {
      directory,
      host,
      port,
      secret,
      fastBody,
      reserve,
      transfers,
      activity: counters,
    }
    worker.postMessage({ type: 'start', options: settings })
  }
  const [port] = await Promise.all([listening(worker, options), start()]).catch(async (error) => {
    await worker.terminate()
    throw error
  })
  worker.on('error', (error) => {
    options.onFailure({ message: 'the storage listener crashed', fatal: true, facts: { error } })
  })
  worker.on('exit', () => {
    state = 'exited'
  })

  async function answer(call: OwnerCall): Promise<void> {
    if (options.source === undefined) return
    const result = await answerOwnerCall(options.source, call)
    if (state !== 'exited') worker.postMessage(result)
  }

  async function openFolder(id: number, upload: StorageUpload): Promise<void> {
    const result = await options.openFolder(upload).then((isOpen) => ({ isOpen }), folderFailure)
    if (state !== 'exited') worker.postMessage({ type: 'folder', id, ...result })
  }

  return {
    port,
    activity,
    isBusy: () => Atomics.load(transfers, 0) > 0,
    check() {
      if (state === 'exited') throw new Error('the storage listener has exited')
    },
    endUpload({ key, id }) {
      if (!activity.hasAny({ key, id })) return
      const message: ToListener = { type: 'ended', upload: { key, id } }
      if (state !== 'exited') worker.postMessage(message)
    },
    async close() {
      if (state === 'exited') return
      const exited = once(worker, 'exit')
      if (state === 'open') worker.postMessage({ type: 'close' } satisfies ToListener)
      state = 'closing'
      await exited
    },
  }
}

function folderFailure(error: Error): FolderResult {
  // The message of `EngineUnavailable` only names the engine. Its cause has the reason.
  const cause = (error.cause ?? error) as NodeJS.ErrnoException
  return { isOpen: false, failure: { message: String(cause), code: cause.code } }
}

function listening(worker: ListenerThread, { host, port }: OpenListenerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    // Under `node --watch`, the thread also reports the files that it loads.
    worker.on('message', (message: ToOwner) => {
      if (message.type === 'listening') resolve(message.port)
      if (message.type !== 'listenFailed') return
      const reason =
        message.code === 'EADDRINUSE'
          ? 'the port is in use. Set STOWAGE_STORAGE_PORT to a free port, or to 0 for any'
          : message.message
      reject(new Error(`the storage cannot listen on ${host}:${port}: ${reason}`))
    })
  })
}

/** Emits `message` (`ToOwner`), `error` and `exit`, like a worker. */
export type ListenerThread = EventEmitter & {
  postMessage(message: ToListener): void
  terminate(): Promise<unknown>
}

/** The listener runs in its own thread, so that transfers don't block the API. */
export function openListenerThread(): ListenerThread {
  return new Worker(new URL('./listener.ts', import.meta.url), {
    // Received data is short-lived. A small young generation collects it early and keeps memory low.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
}

/** Runs the listener in the current thread. It starts faster, but transfers block the API. */
async function openListenerHere(): Promise<ListenerThread> {
  // In production, only the thread loads this module.
  const { serveOwner } = await import('./start-listener.ts')
  const events = new EventEmitter()
  const postMessage = serveOwner(
    (message) => events.emit('message', message),
    () => events.emit('exit'),
  )
  return Object.assign(events, { postMessage, async terminate() {} })
}
