import { MAX_KEYS } from '@stowage/protocol'
import { apiKeyHint, formatApiKey, KEY_ENTROPY_BYTES } from '../../domain/api-key.ts'
import { isPrintable } from '../../domain/is-printable.ts'
import type { Key, KeyScope } from '../../domain/key.ts'
import { invalid, ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { hashKey } from './hash-key.ts'

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
