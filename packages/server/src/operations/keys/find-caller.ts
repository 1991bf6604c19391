import { timingSafeEqual } from 'node:crypto'
import { isWellFormedApiKey } from '../../domain/api-key.ts'
import type { Actor, Key } from '../../domain/key.ts'
import type { Context } from '../context.ts'
import { adminKeyHash } from '../session/admin-key-hash.ts'
import type { Caller } from './caller.ts'
import { hashKey } from './hash-key.ts'

/** The last use of a key is recorded at this precision, so that not every request writes. */
const LAST_USED_PRECISION_MS = 60_000

/** The keys from the settings. They are not stored, so they have no ID. */
const ADMIN: Actor = { id: null, name: 'STOWAGE_ADMIN_KEY' }
const PREVIOUS_ADMIN: Actor = { id: null, name: 'STOWAGE_ADMIN_KEY_PREVIOUS' }

/** Finds the key, or the admin key. Undefined if it is unknown or revoked. A malformed key is not looked up. */
export async function findCaller(context: Context, secret: string): Promise<Caller | undefined> {
  const hash = hashKey(secret)
  const admin = findAdmin(context, (adminHash) => isSame(adminHash, hash))
  if (admin !== undefined) return admin
  return isWellFormedApiKey(secret) ? findKeyCaller(context, hash) : undefined
}

/**
 * Finds the key that created a session or an upload token, by the hash that was stored with it. Undefined if the key
 * is no longer valid.
 */
export async function findCreator(
  context: Context,
  token: string,
  keyHash: string,
): Promise<Caller | undefined> {
  const { auth } = context.settings
  if (auth.kind === 'open') return openCaller(auth)
  const admin = findAdmin(context, (adminHash) => isSame(adminKeyHash(token, adminHash), keyHash))
  return admin ?? findKeyCaller(context, keyHash)
}

/** The caller of a service that requires no key. */
export function openCaller({ accountId }: { accountId: string }): Caller {
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

async function findKeyCaller(context: Context, hash: string): Promise<Caller | undefined> {
  const key = await context.database.findKey(hash)
  if (key === undefined || !isSame(key.hash, hash) || key.revokedAt !== null) return undefined
  await recordUse(context, key)
  const { id, name, accountId, scope } = key
  return { accountId, scope, keyId: id, actor: { id, name }, key }
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
