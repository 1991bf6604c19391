import { MAX_UPLOAD_TOKENS } from '@stowage/protocol'
import { formatUploadToken, KEY_ENTROPY_BYTES } from '../../domain/api-key.ts'
import type { UploadTokenLimits } from '../../domain/upload-token.ts'
import { invalid, ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import type { Caller } from '../keys/caller.ts'
import { hashKey } from '../keys/hash-key.ts'
import { unknownProducts } from '../products/unknown-products.ts'
import { adminKeyHash } from '../session/admin-key-hash.ts'
import { getReplaced } from '../uploads/get-replaced.ts'

export interface CreatedUploadToken {
  id: string
  /** Returned only here; the database stores its hash. */
  token: string
  expiresAt: Date
}

/** The token ends when the caller’s key is revoked. */
export async function createUploadToken(
  context: AccountContext,
  caller: Pick<Caller, 'key' | 'adminHash'>,
  request: UploadTokenLimits & { lifetimeMs: number },
): Promise<CreatedUploadToken> {
  const { lifetimeMs, ...limits } = request
  if (limits.attach !== null && limits.replaces !== null) {
    throw invalid({
      attach: ['cannot be combined with replace: the asset keeps its products'],
    })
  }
  if (limits.replaces !== null) await getReplaced(context, limits.replaces)
  const id = context.newId()
  const token = formatUploadToken(context.randomBytes(KEY_ENTROPY_BYTES))
  const keyHash = caller.key?.hash ?? adminKeyHash(token, caller.adminHash ?? '')
  const added = await context.data.addUploadToken(
    { ...limits, id, hash: hashKey(token), keyHash },
    { lifetimeMs, maxTokens: MAX_UPLOAD_TOKENS },
  )
  if (added.outcome === 'too_many') {
    throw new ServiceError(
      'too_many_upload_tokens',
      `The account has ${MAX_UPLOAD_TOKENS} upload tokens that have not expired, which is the maximum. Create tokens with a shorter lifetime, and only when they are needed.`,
    )
  }
  if (added.outcome === 'products_not_found') throw unknownProducts(added.unknown, 'attach.')
  return { id, token, expiresAt: added.expiresAt }
}
