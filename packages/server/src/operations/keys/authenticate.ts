import { timingSafeEqual } from 'node:crypto'
import { isWellFormedApiKey } from '../../domain/api-key.ts'
import type { Actor, Key, KeyScope } from '../../domain/key.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { adminKeyHash } from '../session/admin-key-hash.ts'
import { hashKey } from './hash-key.ts'

/** Who sends a request, and what it may do. */
export interface Caller {
  accountId: string
  scope: KeyScope
  /** The rate limit counts requests by this ID. */
  keyId: string
  /** The key; null if the service requires none. */
  actor: Actor | null
  /** Undefined for the admin key, and on an open service. */
  key?: Key
  /** Set if the caller is a browser that is signed in. */
  session?: { token: string; expiresAt: Date }
}

export interface Credentials {
  /** The Authorization header. It takes precedence. */
  authorization: string | undefined
  /** The token of the session cookie, if the request may use it. */
  sessionToken: string | undefined
}

/** The last use of a key is recorded at this precision, so that not every request writes. */
const LAST_USED_PRECISION_MS = 60_000

/** The key from the settings. It is not stored, so it has no ID. */
const ADMIN: Actor = { id: null, name: 'STOWAGE_ADMIN_KEY' }

/** Finds the caller; throws `unauthenticated`. */
export async function authenticate(
  context: Context,
  { authorization, sessionToken }: Credentials,
): Promise<Caller> {
  const { auth } = context.settings
  if (auth.kind === 'open') {
    return { accountId: auth.accountId, scope: 'manage', keyId: 'open', actor: null }
  }
  if (authorization === undefined && sessionToken !== undefined) {
    return authenticateSession(context, sessionToken, auth.admin)
  }
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (secret === undefined) {
    throw unauthenticated('An API key is required. Send it as Authorization: Bearer <key>.')
  }
  const hash = hashKey(secret)
  if (auth.admin !== undefined && isSame(auth.admin.hash, hash)) return adminCaller(auth.admin)
  if (!isWellFormedApiKey(secret)) {
    throw unauthenticated(
      'The API key is malformed: characters are missing or mistyped. Copy the whole key.',
    )
  }
  const caller = await findKeyCaller(context, hash)
  if (caller === undefined) {
    throw unauthenticated('The API key is unknown or was revoked. Use another key.')
  }
  return caller
}

type Admin = { accountId: string; hash: string } | undefined

async function authenticateSession(context: Context, token: string, admin: Admin): Promise<Caller> {
  const session = await context.database.findSession(hashKey(token))
  if (session === undefined) throw sessionEnded()
  const { keyHash, expiresAt } = session
  const isAdmin = admin !== undefined && isSame(adminKeyHash(token, admin.hash), keyHash)
  const caller = isAdmin ? adminCaller(admin) : await findKeyCaller(context, keyHash)
  if (caller === undefined) throw sessionEnded()
  return { ...caller, session: { token, expiresAt } }
}

function adminCaller({ accountId }: { accountId: string }): Caller {
  return { accountId, scope: 'manage', keyId: 'admin', actor: ADMIN }
}

async function findKeyCaller(context: Context, hash: string): Promise<Caller | undefined> {
  const key = await context.database.findKey(hash)
  if (key === undefined || !isSame(key.hash, hash) || key.revokedAt !== null) return undefined
  await recordUse(context, key)
  const { id, name, accountId, scope } = key
  return { accountId, scope, keyId: id, actor: { id, name }, key }
}

function sessionEnded(): ServiceError {
  return unauthenticated(
    'The session has ended: you signed out, it expired, or its key was revoked. Sign in again.',
  )
}

function unauthenticated(message: string): ServiceError {
  return new ServiceError('unauthenticated', message)
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

/** The key works even if its use cannot be recorded. */
async function recordUse({ database, clock, warn }: Context, key: Key): Promise<void> {
  const now = clock()
  const isRecorded = now.getTime() - (key.lastUsedAt?.getTime() ?? 0) < LAST_USED_PRECISION_MS
  if (isRecorded) return
  await database.touchKey(key.id, now).catch((error: unknown) => {
    warn('could not record the use of a key', error)
  })
}
