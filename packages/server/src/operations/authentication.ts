import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../domain/errors.ts'
import {
  type AccountState,
  type Actor,
  hasUploadTokenPrefix,
  isWellFormedApiKey,
  isWellFormedUploadToken,
  type Key,
  type KeyScope,
} from '../domain/key.ts'
import type { UploadToken } from '../domain/upload-token.ts'
import type { Context } from './context.ts'

export interface Credentials {
  /** The Authorization header. It takes precedence. */
  authorization: string | undefined
  /** The token of the session cookie, if the request may use it. */
  sessionToken: string | undefined
}

/** The sender of a request, and its permissions. */
export interface Caller {
  accountId: string
  scope: KeyScope
  /** The rate limit counts requests by this ID. */
  keyId: string
  /** The key or the upload token; null if the service requires no key. */
  actor: Actor | null
  /** Undefined for the admin key and upload tokens, and on an open service. */
  key?: Key
  /** Undefined if it was not read: for the admin key, and on an open service. */
  accountState?: AccountState | undefined
  /** The SHA-256 of the admin key that the caller has used. */
  adminHash?: string
  /** Set if the caller is a browser that is signed in. */
  session?: { token: string; expiresAt: Date }
  /** Set if the caller is a page with an upload token. It may only upload, within the limits of the token. */
  uploadToken?: UploadToken
  /** The name of the key that created the upload token; null if the service requires none. */
  tokenCreatedBy?: string | null
}

/** Finds the caller; throws `unauthenticated`, `key_expired` or `account_deleted`. */
export async function authenticate(
  context: Context,
  { authorization, sessionToken }: Credentials,
): Promise<Caller> {
  const { auth } = context.settings
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  // An open service ignores keys, but it applies the limits of upload tokens, so that pages behave as in production.
  if (secret !== undefined && hasUploadTokenPrefix(secret)) {
    return authenticateUploadToken(context, secret)
  }
  if (auth.kind === 'open') return openCaller(auth)
  if (authorization === undefined && sessionToken !== undefined) {
    return authenticateSession(context, sessionToken)
  }
  if (secret === undefined) {
    throw unauthenticated('An API key is required. Send it as Authorization: Bearer <key>.')
  }
  const caller = await findCaller(context, secret)
  if (caller === 'expired') {
    throw new ServiceError('key_expired', 'The API key has expired. Use another key.')
  }
  if (caller !== undefined) return caller
  throw unauthenticated(
    isWellFormedApiKey(secret)
      ? 'The API key is unknown or was revoked. Use another key.'
      : 'The API key is malformed: characters are missing or mistyped. Copy the whole key.',
  )
}

async function authenticateSession(context: Context, token: string): Promise<Caller> {
  const session = await context.database.findSession(hashKey(token))
  const caller = session && (await findCreator(context, token, session.keyHash))
  if (session === undefined || caller === undefined) {
    throw unauthenticated(
      'The session has ended: you signed out, it expired, or its key was revoked or has expired. Sign in again.',
    )
  }
  return { ...caller, session: { token, expiresAt: session.expiresAt } }
}

function unauthenticated(message: string): ServiceError {
  return new ServiceError('unauthenticated', message)
}

/** Finds the token and the key that created it; throws `unauthenticated`. Even an expired token is found. */
async function authenticateUploadToken(
  context: Context,
  secret: string,
): Promise<Caller & { uploadToken: UploadToken }> {
  if (!isWellFormedUploadToken(secret)) {
    throw unauthenticated(
      'The upload token is malformed: characters are missing or mistyped. Copy the whole token.',
    )
  }
  const uploadToken = await context.database.findUploadToken(hashKey(secret))
  const creator = uploadToken && (await findCreator(context, secret, uploadToken.keyHash))
  if (uploadToken === undefined || creator?.accountId !== uploadToken.accountId) {
    throw unauthenticated(
      'The upload token is unknown or has expired, or the key that created it was revoked or has expired. Request a new token.',
    )
  }
  if (uploadToken.revokedAt !== null) {
    throw unauthenticated('The upload token was revoked. Request a new token.')
  }
  const { id, accountId } = uploadToken
  const tokenCreatedBy = creator.actor?.name ?? null
  const name = tokenCreatedBy === null ? 'upload token' : `upload token of ${tokenCreatedBy}`
  const token = { uploadToken, tokenCreatedBy, accountState: creator.accountState }
  return { accountId, scope: 'write', keyId: id, actor: { id, name }, ...token }
}

/** The last use of a key is recorded at this precision, so that not every request writes. */
const LAST_USED_PRECISION_MS = 60_000

/** The keys from the settings. They are not stored, so they have no ID. */
const ADMIN: Actor = { id: null, name: 'STOWAGE_ADMIN_KEY' }
const PREVIOUS_ADMIN: Actor = { id: null, name: 'STOWAGE_ADMIN_KEY_PREVIOUS' }

/** Finds the key, or the admin key. Undefined if it is unknown or revoked. A malformed key is not looked up. */
async function findCaller(
  context: Context,
  secret: string,
): Promise<Caller | 'expired' | undefined> {
  const hash = hashKey(secret)
  const admin = findAdmin(context, (adminHash) => isSame(adminHash, hash))
  if (admin !== undefined) return admin
  return isWellFormedApiKey(secret) ? findKeyCaller(context, hash) : undefined
}

/**
 * Finds the key that created a session or an upload token, by the hash that was stored with it. Undefined if the key
 * is no longer valid.
 */
async function findCreator(
  context: Context,
  token: string,
  keyHash: string,
): Promise<Caller | undefined> {
  const { auth } = context.settings
  if (auth.kind === 'open') return openCaller(auth)
  const admin = findAdmin(context, (adminHash) => isSame(adminKeyHash(token, adminHash), keyHash))
  if (admin !== undefined) return admin
  const creator = await findKeyCaller(context, keyHash)
  return creator === 'expired' ? undefined : creator
}

/** The caller of a service that requires no key. */
function openCaller({ accountId }: { accountId: string }): Caller {
  return { accountId, scope: 'manage', keyId: 'open', actor: null }
}

/** The admin key, or during a rotation the previous one, whose hash matches. */
function findAdmin(
  { settings: { auth } }: Context,
  isMatch: (hash: string) => boolean,
): Caller | undefined {
  if (auth.kind === 'open' || auth.admin === undefined) return undefined
  const { accountId, hash, previousHash } = auth.admin
  const caller = { accountId, scope: 'manage' } as const
  if (isMatch(hash)) return { ...caller, keyId: 'admin', actor: ADMIN, adminHash: hash }
  if (previousHash === undefined || !isMatch(previousHash)) return undefined
  return { ...caller, keyId: 'admin-previous', actor: PREVIOUS_ADMIN, adminHash: previousHash }
}

async function findKeyCaller(
  context: Context,
  hash: string,
): Promise<Caller | 'expired' | undefined> {
  const key = await context.database.findKey(hash)
  if (key === undefined || !isSame(key.hash, hash) || key.revokedAt !== null) return undefined
  if (key.isExpired) return 'expired'
  if (key.accountState === 'deleted') {
    throw new ServiceError(
      'account_deleted',
      'The account was deleted. Ask the operator of the service to restore it.',
    )
  }
  await recordUse(context, key)
  const { id, name, accountId, scope, accountState } = key
  return { accountId, scope, keyId: id, actor: { id, name }, key, accountState }
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

/**
 * Keys and tokens have 256 random bits, and the admin key has at least 32 characters. They cannot be guessed, so a
 * fast hash is enough.
 */
export function hashKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/**
 * Identifies the admin key in a stored session or upload token. The admin key is never stored, not even as a plain
 * hash: without the token, which is not stored either, this value reveals nothing about the key.
 */
export function adminKeyHash(token: string, hash: string): string {
  return createHmac('sha256', token).update(hash).digest('hex')
}

/** The last known state of the account of callers without a key of their own, for a second. */
const knownStates = new WeakMap<object, { accountId: string; state: AccountState; until: number }>()
const STATE_KNOWN_MS = 1_000

/** Throws `account_suspended`. Call it before changes. */
export async function refuseSuspended({ database }: Context, caller: Caller): Promise<void> {
  const state = caller.accountState ?? (await readState())
  if (state !== 'active') {
    throw new ServiceError(
      'account_suspended',
      'The account is suspended: it can be read, but not changed. Unfinished uploads are kept. Ask the operator of the service.',
    )
  }

  async function readState(): Promise<AccountState> {
    const { accountId } = caller
    const known = knownStates.get(database)
    const now = performance.now()
    if (known !== undefined && known.accountId === accountId && now < known.until)
      return known.state
    const read = (await database.findAccountState(accountId)) ?? 'active'
    knownStates.set(database, { accountId, state: read, until: now + STATE_KNOWN_MS })
    return read
  }
}
