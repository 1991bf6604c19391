import type { SecretKey } from '../crypto/secret-key.ts'
import type { Once, OnceOutcome } from '../database/idempotency-data.ts'
import { ServiceError } from '../domain/errors.ts'
import { KEY_ENTROPY_BYTES } from '../domain/key.ts'
import type { AccountContext } from './context.ts'

/** The `Idempotency-Key` of a call, and a digest of the call and its body. */
export interface Idempotency {
  key: string
  digest: string
}

/** What a call creates at most once. */
interface Creation<Added, Result> {
  /** False: `secret` is empty. */
  hasSecret: boolean
  /** `secret` has 32 bytes. */
  add(secret: Uint8Array): Promise<Added>
  addOnce(once: Once, secret: Uint8Array): Promise<OnceOutcome<Added>>
  /** Returns what an earlier call has created; undefined if it was deleted, or does not have this secret. */
  find(id: string, secret: Uint8Array): Promise<Result | undefined>
  toResult(added: Added, secret: Uint8Array): Result
}

const NONCE_BYTES = 16

/**
 * Creates something, or returns what the same call has created before. No secret is stored: it is derived from a nonce,
 * which is forgotten after a day, with a key that is not in the database.
 */
export async function createOnce<Added, Result>(
  { randomBytes, secretKey }: Pick<AccountContext, 'randomBytes'> & { secretKey?: SecretKey },
  { id, idempotency }: { id: string; idempotency: Idempotency | undefined },
  creation: Creation<Added, Result>,
): Promise<{ result: Result; isRepeated: boolean }> {
  if (idempotency === undefined || secretKey === undefined) {
    const secret = randomBytes(KEY_ENTROPY_BYTES)
    return { result: creation.toResult(await creation.add(secret), secret), isRepeated: false }
  }
  const secretOf = (nonce: string) =>
    creation.hasSecret ? secretKey.derive(nonce) : new Uint8Array()
  const nonce = Buffer.from(randomBytes(NONCE_BYTES)).toString('hex')
  const secret = secretOf(nonce)
  const outcome = await creation.addOnce({ ...idempotency, id, nonce }, secret)
  if (outcome.outcome === 'first') {
    return { result: creation.toResult(outcome.added, secret), isRepeated: false }
  }
  if (outcome.outcome === 'key_reused') {
    throw new ServiceError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used with another body, or for another call. Use a new key for each call.',
    )
  }
  const result = await creation.find(outcome.id, secretOf(outcome.nonce))
  if (result !== undefined) return { result, isRepeated: true }
  throw new ServiceError(
    'result_gone',
    'The call with this Idempotency-Key has succeeded before, but what it created was deleted or can no longer be returned. Use a new key to create another one.',
  )
}
