/** What a key may do; each scope includes those before it. */
export const KEY_SCOPES = ['read', 'write', 'manage'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export function includesScope(held: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(held) >= KEY_SCOPES.indexOf(needed)
}

export interface NewKey {
  id: string
  name: string
  scope: KeyScope
  /** SHA-256 of the secret, hexadecimal: the secret itself is kept nowhere. */
  hash: string
  /** The secret's last letters, so that people recognize it. */
  hint: string
  createdAt: Date
}

export interface Key extends NewKey {
  accountId: string
  lastUsedAt: Date | null
  revokedAt: Date | null
}
