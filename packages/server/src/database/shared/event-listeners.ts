import { isEndedCredential } from '../../domain/key.ts'
import type { EndedCredentialListener, EventListener } from '../event-data.ts'

interface EventListeners {
  /** The returned function removes the listener. */
  onEvents(listener: EventListener): () => void
  onEndedCredential(listener: EndedCredentialListener): () => void
  /** Calls the listeners soon, once per account and credential for all calls of this turn of the event loop. */
  call(ids: Iterable<string> | undefined): void
}

/** Calls `onFirst` when the first listener is added, and `onLast` when the last one is removed. */
export function createEventListeners({
  onFirst = () => {},
  onLast = () => {},
} = {}): EventListeners {
  const listeners = new Set<EventListener>()
  let pending = new Set<string | undefined>()

  function callAll(): void {
    const accounts = pending.has(undefined) ? [undefined] : pending
    pending = new Set()
    for (const account of accounts) for (const listener of [...listeners]) listener(account)
  }

  /** The listener gets the names of ended credentials, or everything else. */
  function add(listener: (id: string | undefined) => void, isForCredentials: boolean): () => void {
    // A wrapper, so that the same function can be added twice.
    const added = (id: string | undefined) => {
      if (id === undefined || isEndedCredential(id) === isForCredentials) listener(id)
    }
    listeners.add(added)
    if (listeners.size === 1) onFirst()
    return () => {
      if (listeners.delete(added) && listeners.size === 0) onLast()
    }
  }

  return {
    onEvents: (listener) => add(listener, false),
    onEndedCredential: (listener) => add(listener, true),

    call(ids) {
      if (listeners.size === 0) return
      const isScheduled = pending.size > 0
      for (const id of ids ?? [undefined]) pending.add(id)
      // The caller has just committed a change, and its response should not wait for the listeners.
      if (!isScheduled && pending.size > 0) setImmediate(callAll)
    },
  }
}
