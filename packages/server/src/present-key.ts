import type * as wire from '@stowage/protocol'
import type { Key } from './domain/key.ts'

/** A key as the API and the CLI show it, without its hash. */
export function presentKey(key: Omit<Key, 'hash'>): wire.Key {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope,
    hint: key.hint,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
