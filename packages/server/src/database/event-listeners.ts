/**
 * Gets the ID of an account with new events, the name of an ended session or key (`endedCredential`), or undefined if
 * anything may have changed.
 */
export type EventListener = (id: string | undefined) => void

export interface EventListeners {
  /** The returned function removes the listener. */
  add(listener: EventListener): () => void
  /** Calls the listeners soon, once per account for all calls of this turn of the event loop. */
  call(accountIds: Iterable<string> | undefined): void
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

  return {
    add(listener) {
      // A wrapper, so that the same function can be added twice.
      const added: EventListener = (account) => listener(account)
      listeners.add(added)
      if (listeners.size === 1) onFirst()
      return () => {
        if (listeners.delete(added) && listeners.size === 0) onLast()
      }
    },

    call(accountIds) {
      if (listeners.size === 0) return
      const isScheduled = pending.size > 0
      for (const account of accountIds ?? [undefined]) pending.add(account)
      // The caller has just committed a change, and its response should not wait for the listeners.
      if (!isScheduled && pending.size > 0) setImmediate(callAll)
    },
  }
}
