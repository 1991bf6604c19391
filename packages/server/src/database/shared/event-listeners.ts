import { isEndedCredential } from '../../domain/key.ts'
import type { EndedCredentialListener, EventListener } from '../event-data.ts'

/** The ID of an account that may have new events, or the name of an ended session or key (`endedCredential`). */
export type Notice = string

interface EventListeners {
  /** The returned function removes the listener. */
  onEvents(listener: EventListener): () => void
  onEndedCredential(listener: EndedCredentialListener): () => void
  /**
   * Calls the listeners soon, once per notice for all calls of this turn of the event loop. Undefined: anything may
   * have changed; it does not replace the notices, because some listeners only react to those.
   */
  announce(notices: Iterable<Notice> | undefined): void
}

/** Calls `onFirst` when the first listener is added, and `onLast` when the last one is removed. */
export function createEventListeners({
  onFirst = () => {},
  onLast = () => {},
} = {}): EventListeners {
  type Listener = (notice: Notice | undefined) => void
  const listeners = new Set<Listener>()
  let pending = new Set<Notice | undefined>()

  function callAll(): void {
    const notices = pending
    pending = new Set()
    for (const notice of notices) for (const listener of [...listeners]) listener(notice)
  }

  /** The listener gets the names of ended credentials, or everything else. */
  function add(listener: Listener, isForCredentials: boolean): () => void {
    // A wrapper, so that the same function can be added twice.
    const added: Listener = (notice) => {
      if (notice === undefined || isEndedCredential(notice) === isForCredentials) listener(notice)
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

    announce(notices) {
      if (listeners.size === 0) return
      const isScheduled = pending.size > 0
      for (const notice of notices ?? [undefined]) pending.add(notice)
      // The caller has just committed a change, and its response should not wait for the listeners.
      if (!isScheduled && pending.size > 0) setImmediate(callAll)
    },
  }
}
