import { EventEmitter, once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { StorageUpload } from '../storage.ts'
import type { FolderResult, ListenerOptions, ToListener, ToOwner } from './start-listener.ts'

interface Listener {
  port: number
  /** Whether clients are transferring parts or files. */
  isBusy(): boolean
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
  secret: Buffer
  fastBody?: boolean
  ownThread?: boolean
  reserve: number
  onFailure(failure: ListenerFailure): void
  /** Called when a download finds that the bytes of an object have changed, cannot be read or do not exist. */
  onDamage?(key: string): void
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
  const settings: ListenerOptions = {
    directory: options.directory,
    host: options.host,
    port: options.port,
    secret: options.secret.toString('hex'),
    fastBody: options.fastBody ?? true,
    reserve: options.reserve,
    transfers: new Int32Array(new SharedArrayBuffer(4)),
  }
  const worker =
    options.ownThread === false ? await startListenerHere(settings) : startListenerThread(settings)
  const port = await listening(worker, options)
  let state: 'open' | 'closing' | 'exited' = 'open'
  worker.on('message', (message: ToOwner) => {
    if (message.type === 'missing') options.onDamage?.(message.key)
    if (message.type === 'openFolder') void openFolder(message.id, message.upload)
    if (message.type !== 'failed') return
    const { type, ...facts } = message
    options.onFailure({ message: 'a storage request failed', fatal: false, facts })
    if (message.damaged !== undefined) options.onDamage?.(message.damaged)
  })
  worker.on('error', (error) => {
    options.onFailure({ message: 'the storage listener crashed', fatal: true, facts: { error } })
  })
  worker.on('exit', () => {
    state = 'exited'
  })

  async function openFolder(id: number, upload: StorageUpload): Promise<void> {
    const result = await options.openFolder(upload).then((isOpen) => ({ isOpen }), folderFailure)
    if (state !== 'exited') worker.postMessage({ type: 'folder', id, ...result })
  }

  return {
    port,
    isBusy: () => Atomics.load(settings.transfers, 0) > 0,
    check() {
      if (state === 'exited') throw new Error('the storage listener has exited')
    },
    endUpload({ key, id }) {
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

async function listening(
  worker: ListenerThread,
  { host, port }: OpenListenerOptions,
): Promise<number> {
  const [message] = (await once(worker, 'message')) as [ToOwner]
  if (message.type === 'listening') return message.port
  await worker.terminate()
  if (message.type === 'listenFailed' && message.code === 'EADDRINUSE') {
    throw new Error(
      `the storage cannot listen on ${host}:${port}: the port is in use. Set STOWAGE_STORAGE_PORT to a free port, or to 0 for any`,
    )
  }
  const reason = message.type === 'listenFailed' ? message.message : message.type
  throw new Error(`the storage cannot listen on ${host}:${port}: ${reason}`)
}

/** Emits `message` (`ToOwner`), `error` and `exit`, like a worker. */
type ListenerThread = EventEmitter & {
  postMessage(message: ToListener): void
  terminate(): Promise<unknown>
}

/** The listener runs in its own thread, so that transfers don't block the API. */
function startListenerThread(workerData: ListenerOptions): ListenerThread {
  return new Worker(new URL('./listener.ts', import.meta.url), {
    workerData,
    // Received data is short-lived. A small young generation collects it early and keeps memory low.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
}

/** Runs the listener in the current thread. It starts faster, but transfers block the API. */
async function startListenerHere(options: ListenerOptions): Promise<ListenerThread> {
  // In production, only the thread loads this module.
  const { startListener } = await import('./start-listener.ts')
  const events = new EventEmitter()
  const listener = startListener(options, (message) => events.emit('message', message))
  return Object.assign(events, {
    postMessage(message: ToListener) {
      if (message.type === 'close') listener.close(() => events.emit('exit'))
      else listener.receive(message)
    },
    async terminate() {},
  })
}
