import { EventEmitter } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ListenerOptions, ToListener } from './listener-messages.ts'

/** Emits `message` (`ToOwner`), `error` and `exit`, like a worker. */
export type ListenerThread = EventEmitter & {
  postMessage(message: ToListener): void
  terminate(): Promise<unknown>
}

/** The listener runs in its own thread, so that transfers don't block the API. */
export function startListenerThread(workerData: ListenerOptions): ListenerThread {
  return new Worker(new URL('./listener.ts', import.meta.url), {
    workerData,
    // Received data is short-lived. A small young generation collects it early and keeps memory low.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
}

/** Runs the listener in the current thread. It starts faster, but transfers block the API. */
export async function startListenerHere(options: ListenerOptions): Promise<ListenerThread> {
  // In production, only the thread loads this module.
  const { startListener } = await import('./start-listener.ts')
  const events = new EventEmitter()
  const listener = startListener(options, (message) => events.emit('message', message))
  return Object.assign(events, {
    postMessage(message: ToListener) {
      if (message.type === 'ended') listener.endUpload(message.upload)
      else listener.close(() => events.emit('exit'))
    },
    async terminate() {},
  })
}
