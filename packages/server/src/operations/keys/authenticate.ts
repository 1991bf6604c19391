import { timingSafeEqual } from 'node:crypto'
import { isWellFormedApiKey } from '../../domain/api-key.ts'
import type { Key, KeyScope } from '../../domain/key.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { hashKey } from './create-key.ts'

/** On whose behalf a request is, and what it may do. */
export interface Caller {
  accountId: string
  scope: KeyScope
  /** Whose requests are counted together. */
  keyId: string
}

/** How exact the last use of a key is told: not every request writes. */
const LAST_USED_EVERY_MS = 60_000

/** Finds the caller by the Authorization header; throws `unauthenticated`. */
export async function authenticate(
  context: Context,
  authorization: string | undefined,
): Promise<Caller> {
  const { auth } = context.settings
  if (auth.kind === 'open') return { accountId: auth.accountId, scope: 'manage', keyId: 'open' }
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (secret === undefined) {
    throw unauthenticated('A key is needed. Send it as Authorization: Bearer <key>.')
  }
  const hash = hashKey(secret)
  if (auth.admin !== undefined && isSame(auth.admin.hash, hash)) {
    return { accountId: auth.admin.accountId, scope: 'manage', keyId: 'admin' }
  }
  if (!isWellFormedApiKey(secret)) {
    throw unauthenticated('This is not a key: letters are missing or mistyped. Copy it whole.')
  }
  const key = await context.database.findKey(hash)
  if (key === undefined || !isSame(key.hash, hash) || key.revokedAt !== null) {
    throw unauthenticated('The key is unknown or was revoked. Use another.')
  }
  await noteUse(context, key)
  return { accountId: key.accountId, scope: key.scope, keyId: key.id }
}

function unauthenticated(message: string): ServiceError {
  return new ServiceError('unauthenticated', message)
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

/** A key works also when its use can't be noted. */
async function noteUse({ database, clock, warn }: Context, key: Key): Promise<void> {
  const now = clock()
  const isFresh = now.getTime() - (key.lastUsedAt?.getTime() ?? 0) < LAST_USED_EVERY_MS
  if (isFresh) return
  await database.touchKey(key.id, now).catch((error: unknown) => {
    warn('the use of a key could not be noted', error)
  })
}
