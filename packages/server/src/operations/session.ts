import { ServiceError } from '../domain/errors.ts'
import { adminKeyHash, type Caller, hashKey } from './authentication.ts'
import type { Context } from './context.ts'

const TOKEN_BYTES = 32
const DAY_MS = 24 * 3_600_000
/** A session ends after this time, even if the browser restores it after a restart. */
const LIFETIME_MS = 7 * DAY_MS
const REMEMBERED_MS = 30 * DAY_MS
const MAX_PER_KEY = 100

interface NewSignIn {
  /** Only the browser has it; the database stores its hash. */
  token: string
  expiresAt: Date
}

/** Starts a session with the caller’s key. It ends when the key is revoked. */
export async function signIn(
  context: Context,
  caller: Caller,
  { isRemembered }: { isRemembered: boolean },
): Promise<NewSignIn> {
  if (caller.session !== undefined) {
    throw new ServiceError(
      'unauthenticated',
      'A session cannot start another one. Send an API key as Authorization: Bearer <key>.',
    )
  }
  const token = Buffer.from(context.randomBytes(TOKEN_BYTES)).toString('base64url')
  const keyHash = caller.key?.hash ?? adminKeyHash(token, caller.adminHash ?? '')
  const session = { tokenHash: hashKey(token), keyId: caller.keyId, keyHash }
  const lifetimeMs = isRemembered ? REMEMBERED_MS : LIFETIME_MS
  const limits = { lifetimeMs, maxPerKey: MAX_PER_KEY }
  return { token, expiresAt: await context.database.addSession(session, limits) }
}

/** Ends the session in every tab of the browser. Idempotent. */
export function signOut({ database }: Context, token: string): Promise<void> {
  return database.removeSession(hashKey(token))
}
