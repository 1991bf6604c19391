/** Each scope includes those before it. */
export const KEY_SCOPES = ['read', 'write', 'manage'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export function includesScope(granted: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(granted) >= KEY_SCOPES.indexOf(needed)
}

export interface NewKey {
  id: string
  name: string
  scope: KeyScope
  /** SHA-256 of the secret in hexadecimal. The secret itself is never stored. */
  hash: string
  /** The prefix and the last characters of the secret, so that people recognize the key. */
  hint: string
  createdAt: Date
}

export interface Key extends NewKey {
  accountId: string
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** The key or upload token that made a call. */
export interface Actor {
  /** Null for the key from the settings. */
  id: string | null
  name: string
}

/**
 * The name under which the end of a session or key is announced to all instances, by the hash of the session’s token or
 * by the ID of the key. Short, because many names are announced together.
 */
export function endedCredential(id: string): string {
  return `~${id.replaceAll('-', '').slice(0, 32)}`
}

export function isEndedCredential(name: string): boolean {
  return name.startsWith('~')
}
