import type { DatabaseSync } from 'node:sqlite'
import { createEventListeners } from '../shared/event-listeners.ts'

/** How often the file is checked for changes by other processes, such as `stowage keys add`. */
const CHECK_MS = 1_000

/** Wakes the readers of events in this process. */
export function openEventChannel(database: DatabaseSync) {
  // The version changes when another connection commits; if none has, reading it does not touch the disk.
  const dataVersion = database.prepare('pragma data_version')
  let timer: NodeJS.Timeout | undefined
  let known: unknown

  function check(): void {
    const current = readVersion()
    if (current !== known) listeners.announce(undefined)
    known = current
  }

  /** Returns the known version if another process holds the lock. The next check then reads the new one. */
  function readVersion(): unknown {
    try {
      return dataVersion.get()?.data_version
    } catch {
      return known
    }
  }

  const listeners = createEventListeners({
    onFirst() {
      known = readVersion()
      timer = setInterval(check, CHECK_MS).unref()
    },
    onLast: () => clearInterval(timer),
  })

  return {
    announce: listeners.announce,
    onEvents: listeners.onEvents,
    onEndedCredential: listeners.onEndedCredential,
    close: () => clearInterval(timer),
  }
}
