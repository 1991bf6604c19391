import { MAX_KEYS } from '@stowage/protocol'
import { invalid, ServiceError } from '../domain/errors.ts'
import {
  apiKeyHint,
  formatApiKey,
  KEY_ENTROPY_BYTES,
  type Key,
  type KeyScope,
} from '../domain/key.ts'
import { isPrintable } from '../domain/names.ts'
import { hashKey } from './authentication.ts'
import type { AccountContext } from './context.ts'

/** The secret is returned only here; the database stores its hash. */
export async function createKey(
  context: Pick<AccountContext, 'data' | 'newId' | 'clock' | 'randomBytes'>,
  details: { name: string; scope: KeyScope },
): Promise<{ key: Key; secret: string }> {
  const name = details.name.trim()
  if (name === '' || !isPrintable(name)) {
    throw invalid({ name: ['must describe what the key is for, without control characters'] })
  }
  const secret = formatApiKey(context.randomBytes(KEY_ENTROPY_BYTES))
  const added = {
    id: context.newId(),
    name,
    scope: details.scope,
    hash: hashKey(secret),
    hint: apiKeyHint(secret),
    createdAt: context.clock(),
  }
  const key = await context.data.addKey(added, MAX_KEYS)
  if (key !== undefined) return { key, secret }
  throw new ServiceError(
    'too_many_keys',
    `The account has ${MAX_KEYS} active keys, which is the maximum. Revoke one that you do not need.`,
  )
}

/** All keys of the account, including those that were revoked in the last 90 days, oldest first. */
export function listKeys({ data }: Pick<AccountContext, 'data'>): Promise<Key[]> {
  return data.listKeys()
}

/** Takes effect immediately. `keepLast` refuses to revoke the last manage key. */
export async function revokeKey(
  { data, clock }: Pick<AccountContext, 'data' | 'clock'>,
  keyId: string,
  { keepLast }: { keepLast: boolean },
): Promise<void> {
  const outcome = await data.revokeKey(keyId, { now: clock(), keepLast })
  if (outcome === 'not_found') {
    throw new ServiceError('not_found', 'There is no key with this ID. Check the ID.')
  }
  if (outcome === 'last_manage_key') {
    throw new ServiceError(
      'last_manage_key',
      'This is the last manage key of the account. Create another manage key first.',
    )
  }
}
