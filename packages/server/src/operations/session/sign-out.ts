import type { Context } from '../context.ts'
import { hashKey } from '../keys/hash-key.ts'

/** Ends the session in every tab of the browser. Idempotent. */
export function signOut({ database }: Context, token: string): Promise<void> {
  return database.removeSession(hashKey(token))
}
