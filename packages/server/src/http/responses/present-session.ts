import type { Session } from '@stowage/protocol'
import type { Caller } from '../../operations/keys/caller.ts'

/** The key in use, and when its session ends, if there is one. */
export function presentSession({ actor, key, scope }: Caller, expiresAt?: Date): Session {
  return {
    requires_key: actor !== null,
    key: actor && { ...actor, scope, hint: key?.hint ?? null },
    expires_at: expiresAt?.toISOString() ?? null,
  }
}
