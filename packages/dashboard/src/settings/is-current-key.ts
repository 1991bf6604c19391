import type { Key } from '@stowage/client'

/** Compares the last four characters, the only part of a key that the service returns. */
export function isCurrentKey({ hint, revoked_at }: Key, apiKey: string | undefined): boolean {
  return revoked_at === null && apiKey !== undefined && apiKey.slice(-4) === hint.slice(-4)
}
