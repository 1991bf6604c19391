import type { Key, NewKey } from '../domain/key.ts'

/** The API keys of one account. */
export interface KeyData {
  addKey(key: NewKey): Promise<Key>
  listKeys(): Promise<Key[]>
  /** With `keepLast`, the last active manage key is not revoked. Idempotent. */
  revokeKey(
    keyId: string,
    options: { now: Date; keepLast: boolean },
  ): Promise<'revoked' | 'last_manage_key' | 'not_found'>
}
