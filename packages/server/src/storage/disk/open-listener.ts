import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { StorageUpload } from '../storage.ts'
import type { ListenerOptions, ToListener, ToOwner } from './listener-messages.ts'

export interface Listener {
  port: number
  /** Throws when the thread is gone. */
  check(): void
  /** Gives up the parts of this upload that are under way. */
  endUpload(upload: StorageUpload): void
  /** Takes no new transfers, and lets those that run finish, within a limit. Repeatable. */
  close(): Promise<void>
}

export interface OpenListenerOptions {
  directory: string
  host: string
  port: number
  secret: Buffer
  fastBody?: boolean
  reserve: number
  onFailure(failure: ListenerFailure): void
}

export interface ListenerFailure {
  message: string
  /** It can't go on. */
  fatal: boolean
  facts: object
}

export async function openListener(options: OpenListenerOptions): Promise<Listener> {
  const workerData: ListenerOptions = {
    directory: options.directory,
    host: options.host,
    port: options.port,
    secret: options.secret.toString('hex'),
    fastBody: options.fastBody ?? true,
    reserve: options.reserve,
  }
  const worker = new Worker(new URL('./listener.ts', import.meta.url), {
    workerData,
    // What comes off the wire is garbage a moment later: collected early, it never piles up.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  const port = await listening(worker, options)
  let state: 'open' | 'closing' | 'gone' = 'open'
  worker.on('message', (message: ToOwner) => {
    if (message.type !== 'failed') return
    const { type, ...facts } = message
    options.onFailure({ message: 'a storage request failed', fatal: false, facts })
  })
  worker.on('error', (error) => {
    options.onFailure({ message: 'the storage listener crashed', fatal: true, facts: { error } })
  })
  worker.on('exit', () => {
    state = 'gone'
  })
  return {
    port,
    check() {
      if (state === 'gone') throw new Error('the storage listener is gone')
    },
    endUpload({ key, id }) {
      const message: ToListener = { type: 'ended', upload: { key, id } }
      if (state !== 'gone') worker.postMessage(message)
    },
    async close() {
      if (state === 'gone') return
      const ended = once(worker, 'exit')
      if (state === 'open') worker.postMessage({ type: 'close' } satisfies ToListener)
      state = 'closing'
      await ended
    },
  }
}

async function listening(worker: Worker, { host, port }: OpenListenerOptions): Promise<number> {
  const [message] = (await once(worker, 'message')) as [ToOwner]
  if (message.type === 'listening') return message.port
  await worker.terminate()
  if (message.type === 'refused' && message.code === 'EADDRINUSE') {
    throw new Error(
      `the storage can't listen on ${host}:${port}, another program does: set STOWAGE_STORAGE_PORT to a free port (0 takes any)`,
    )
  }
  const reason = message.type === 'refused' ? message.message : message.error
  throw new Error(`the storage can't listen on ${host}:${port}: ${reason}`)
}
