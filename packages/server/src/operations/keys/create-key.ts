import { createHash } from 'node:crypto'
import { apiKeyHint, formatApiKey, KEY_ENTROPY_BYTES } from '../../domain/api-key.ts'
import { isSearchable } from '../../domain/filename.ts'
import type { Key, KeyScope } from '../../domain/key.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

/** The secret is returned this once; only its hash is kept. */
export async function createKey(
  context: Pick<AccountContext, 'data' | 'newId' | 'clock' | 'randomBytes'>,
  details: { name: string; scope: KeyScope },
): Promise<{ key: Key; secret: string }> {
  const name = details.name.trim()
  if (name === '' || !isSearchable(name)) {
    throw invalid({ name: ['must tell people what the key is for, without control characters'] })
  }
  const secret = formatApiKey(context.randomBytes(KEY_ENTROPY_BYTES))
  const key = await context.data.addKey({
    id: context.newId(),
    name,
    scope: details.scope,
    hash: hashKey(secret),
    hint: apiKeyHint(secret),
    createdAt: context.clock(),
  })
  return { key, secret }
}

/** A key has 256 random bits: a fast hash is enough, there is nothing to guess. */
export function hashKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
