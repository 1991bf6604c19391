import { MAX_KEYS } from '@stowage/protocol'
import { invalid, ServiceError } from '../domain/errors.ts'
import { apiKeyHint, formatApiKey, type Key, type KeyScope, type NewKey } from '../domain/key.ts'
import { isPrintable } from '../domain/names.ts'
import { hashKey } from './authentication.ts'
import type { AccountContext } from './context.ts'
import { createOnce, type Idempotency } from './idempotency.ts'

/** A command of the operator has no secret key, and needs none: it has no idempotency key. */
type KeyContext = Pick<AccountContext, 'data' | 'newId' | 'clock' | 'randomBytes'> &
  Partial<Pick<AccountContext, 'secretKey'>>

interface CreatedKey {
  key: Key
  secret: string
}

/** The secret is returned only here; the database stores its hash. */
export async function createKey(
  context: KeyContext,
  details: { name: string; scope: KeyScope; expiresAt?: Date | null },
  idempotency?: Idempotency,
): Promise<CreatedKey & { isRepeated: boolean }> {
  const name = details.name.trim()
  if (name === '' || !isPrintable(name)) {
    throw invalid({ name: ['must describe what the key is for, without control characters'] })
  }
  const expiresAt = details.expiresAt ?? null
  if (expiresAt !== null && expiresAt <= context.clock()) {
    throw invalid({ expiresAt: ['must be in the future'] })
  }
  const { data } = context
  const id = context.newId()
  const newKey = (random: Uint8Array): NewKey => {
    const secret = formatApiKey(random)
    const hash = hashKey(secret)
    const hint = apiKeyHint(secret)
    const { scope } = details
    return { id, name, scope, hash, hint, createdAt: context.clock(), expiresAt }
  }
  const { result, isRepeated } = await createOnce(
    context,
    { id, idempotency },
    {
      hasSecret: true,
      add: (random) => data.addKey(newKey(random), MAX_KEYS),
      addOnce: (once, random) => data.addKeyOnce(once, newKey(random), MAX_KEYS),
      toResult(key, random): CreatedKey {
        if (key !== undefined) return { key, secret: formatApiKey(random) }
        throw new ServiceError(
          'too_many_keys',
          `The account has ${MAX_KEYS} active keys, which is the maximum. Revoke one that you do not need.`,
        )
      },
      async find(keyId, random) {
        const key = (await data.listKeys()).find((one) => one.id === keyId)
        const secret = formatApiKey(random)
        return key?.hash === hashKey(secret) ? { key, secret } : undefined
      },
    },
  )
  return { ...result, isRepeated }
}

/** All keys of the account, including those that were revoked or have expired in the last 90 days, oldest first. */
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
