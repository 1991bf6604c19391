import type { Key, NewKey } from '../domain/key.ts'

/** How many revoked and expired keys of an account are kept. */
export const MAX_REVOKED_KEYS = 1_000

/** The API keys of one account. */
export interface KeyData {
  /**
   * Undefined if the account has `maxKeys` active keys, even if concurrent calls add keys. Keys that have expired are not
   * active, by the database's clock. Also removes the keys that were revoked or have expired first if there are many, so
   * that their number is bounded.
   */
  addKey(key: NewKey, maxKeys: number): Promise<Key | undefined>
  listKeys(): Promise<Key[]>
  /** With `keepLast`, the last active manage key is not revoked; one that has expired is not active. Idempotent. */
  revokeKey(
    keyId: string,
    options: { now: Date; keepLast: boolean },
  ): Promise<'revoked' | 'last_manage_key' | 'not_found'>
}
