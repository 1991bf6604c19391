import { isStowageError } from '@stowage/client'
import { signIn } from './session-calls.ts'

const NAME = 'stowage.key'

export function hasStoredKey(): boolean {
  return [sessionStorage, localStorage].some((storage) => storage.getItem(NAME) !== null)
}

/** Version 0.1.0 stored the key where scripts can read it. Signs in with it, and removes it. */
export async function exchangeStoredKey(): Promise<void> {
  const remembered = localStorage.getItem(NAME)
  const key = sessionStorage.getItem(NAME) ?? remembered
  if (key === null) return
  try {
    await signIn(key, { isRemembered: remembered !== null })
  } catch (error) {
    // The next load of the page retries it.
    if (!isStowageError(error, 'unauthenticated')) return
  }
  sessionStorage.removeItem(NAME)
  localStorage.removeItem(NAME)
}
