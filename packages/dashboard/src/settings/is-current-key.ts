import type { Key } from '@stowage/client'

/** By its last letters, which are all that the service tells of a key. */
export function isOwn({ hint, revoked_at }: Key, apiKey: string | undefined): boolean {
  return revoked_at === null && apiKey !== undefined && apiKey.slice(-4) === hint.slice(-4)
}
