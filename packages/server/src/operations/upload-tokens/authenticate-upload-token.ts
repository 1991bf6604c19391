import { isWellFormedUploadToken } from '../../domain/api-key.ts'
import type { UploadToken } from '../../domain/upload-token.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../keys/caller.ts'
import { findCreator } from '../keys/find-caller.ts'
import { hashKey } from '../keys/hash-key.ts'

/** Finds the token and the key that created it; throws `unauthenticated`. Even an expired token is found. */
export async function authenticateUploadToken(
  context: Context,
  secret: string,
): Promise<Caller & { uploadToken: UploadToken }> {
  if (!isWellFormedUploadToken(secret)) {
    throw new ServiceError(
      'unauthenticated',
      'The upload token is malformed: characters are missing or mistyped. Copy the whole token.',
    )
  }
  const uploadToken = await context.database.findUploadToken(hashKey(secret))
  const creator = uploadToken && (await findCreator(context, secret, uploadToken.keyHash))
  if (uploadToken === undefined || creator?.accountId !== uploadToken.accountId) {
    throw new ServiceError(
      'unauthenticated',
      'The upload token is unknown or has expired, or the key that created it was revoked. Request a new token.',
    )
  }
  const { id, accountId } = uploadToken
  const tokenCreatedBy = creator.actor?.name ?? null
  const name = tokenCreatedBy === null ? 'upload token' : `upload token of ${tokenCreatedBy}`
  return { accountId, scope: 'write', keyId: id, actor: { id, name }, uploadToken, tokenCreatedBy }
}
