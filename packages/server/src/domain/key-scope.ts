/** What a key may do; each scope includes those before it. */
export const KEY_SCOPES = ['read', 'write', 'manage'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export function includesScope(held: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(held) >= KEY_SCOPES.indexOf(needed)
}
