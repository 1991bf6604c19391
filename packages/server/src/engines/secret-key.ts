import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CannotOpenSecret,
  createSecretKey,
  SECRET_KEY_BYTES,
  type SecretKey,
} from '../crypto/secret-key.ts'
import type { Database } from '../database/database.ts'
import { ServiceError } from '../domain/errors.ts'
import type { StorageContents } from '../storage/storage.ts'

/** How long an instance waits for the key that another one is writing. */
const WAIT_MS = 5_000
const POLL_MS = 100

interface Engines {
  database: Pick<Database, 'readSecretKeyId' | 'bindSecretKey' | 'hasSealedSecrets'>
  storage: Pick<StorageContents, 'readSecretKey' | 'createSecretKey'>
  /** The setting `STOWAGE_SECRET_KEY`. */
  configured: string | undefined
}

/**
 * Returns the key that encrypts secrets: the configured one, or the one in the storage, which is created at the first
 * start. The database stores the ID of the key, and a missing or wrong key is refused. While no secret is encrypted, any
 * key is accepted. Several instances may do this at the same time: the one that binds its new key to the database writes
 * it into the storage, and the others wait for it.
 */
export async function openSecretKey(engines: Engines): Promise<SecretKey> {
  const { database, storage, configured } = engines
  for (const startedAt = performance.now(); ; ) {
    const bound = await database.readSecretKeyId()
    const key = await readKey(engines)
    if (key !== undefined) {
      const owner = bound === key.id ? bound : await bind(engines, key.id, bound)
      if (owner === key.id) return key
      throw new KeyRefused(describeWrongKey(key, owner, configured))
    }
    const isAbandoned = performance.now() - startedAt > WAIT_MS
    if (bound === undefined || isAbandoned) {
      const created = randomBytes(SECRET_KEY_BYTES).toString('base64')
      const { id } = createSecretKey(created)
      const owner = await bind(engines, id, bound)
      if (owner === id) await storage.createSecretKey(created)
      else if (isAbandoned && owner === bound) throw new KeyRefused(MISSING_KEY)
    } else await pause(POLL_MS)
  }
}

/** The key is missing or wrong, and secrets are encrypted. */
class KeyRefused extends Error {
  constructor(problem: string) {
    super(`${problem}. ${KEY_REMEDY}`)
  }
}

/**
 * Like `openSecretKey`, but a key that the storage has lost does not stop the service: files need no key. `onProblem` gets
 * the reason, and the returned key can neither encrypt nor decrypt. A wrong setting is refused.
 */
export async function openSecretKeyIfPossible(
  engines: Engines,
  onProblem: (problem: string) => void,
): Promise<SecretKey> {
  try {
    return await openSecretKey(engines)
  } catch (error) {
    if (!(error instanceof KeyRefused) || engines.configured !== undefined) throw error
    onProblem(error.message)
    return lostKey(error)
  }
}

function lostKey(reason: Error): SecretKey {
  const refuse = () => {
    throw new ServiceError(
      'secret_key_missing',
      'The service cannot encrypt the secret, because its key is missing or wrong. Ask its operator to restore the key: stowage doctor shows what to do.',
    )
  }
  return {
    id: 'lost',
    isLost: true,
    seal: refuse,
    derive: refuse,
    open() {
      throw new CannotOpenSecret(reason.message)
    },
  }
}

/** Uses the key of the storage, or a new one, although secrets are encrypted with another key. */
export async function replaceSecretKey(engines: Engines): Promise<void> {
  const { database, storage } = engines
  const key = await readKey(engines)
  const created = randomBytes(SECRET_KEY_BYTES).toString('base64')
  if (key === undefined) await storage.createSecretKey(created)
  const { id } = key ?? createSecretKey(created)
  await database.bindSecretKey(id, await database.readSecretKeyId())
}

/** What is wrong with the key; undefined if it is the right one, or if none is needed yet. Changes nothing. */
export async function findKeyProblem(engines: Engines): Promise<string | undefined> {
  const { database, configured } = engines
  const bound = await database.readSecretKeyId()
  const key = await readKey(engines)
  if (bound === undefined || bound === key?.id) return undefined
  if (!(await database.hasSealedSecrets())) return undefined
  return key === undefined ? MISSING_KEY : describeWrongKey(key, bound, configured)
}

/** The configured key, or that of the storage. */
export async function readKey({
  storage,
  configured,
}: Pick<Engines, 'storage' | 'configured'>): Promise<SecretKey | undefined> {
  const text = configured ?? (await storage.readSecretKey())
  return text === undefined ? undefined : createSecretKey(text)
}

/** Returns the ID of the key that is bound afterward. */
async function bind(
  { database }: Engines,
  id: string,
  replaced: string | undefined,
): Promise<string> {
  if (replaced !== undefined && (await database.hasSealedSecrets())) return replaced
  return database.bindSecretKey(id, replaced)
}

const MISSING_KEY =
  'The key that encrypts the secrets of webhooks is missing: STOWAGE_SECRET_KEY is not set, and the storage does not contain it'

export const KEY_REMEDY =
  'Set STOWAGE_SECRET_KEY to the right key, or restore it from a backup of the storage. If the key is lost, run: stowage adopt. Then replace the secret of each webhook'

function describeWrongKey(
  { id }: SecretKey,
  bound: string,
  configured: string | undefined,
): string {
  const source = configured === undefined ? 'The key in the storage' : 'STOWAGE_SECRET_KEY'
  return `${source} is not the key that encrypted the secrets of webhooks: its ID is ${id}, but the database needs ${bound}`
}
