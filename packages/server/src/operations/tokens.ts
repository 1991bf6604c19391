import { MAX_UPLOAD_TOKENS } from '@stowage/protocol'
import type { UploadTokenQuery } from '../database/account-data.ts'
import type { AddedUploadToken } from '../database/idempotency-data.ts'
import { isVisible, type Upload } from '../domain/asset.ts'
import { invalid, ServiceError } from '../domain/errors.ts'
import { formatUploadToken } from '../domain/key.ts'
import { matchesMediaType } from '../domain/media-type.ts'
import type { PagePosition } from '../domain/paging.ts'
import type { NewUploadToken, UploadToken, UploadTokenLimits } from '../domain/upload-token.ts'
import { adminKeyHash, type Caller, hashKey } from './authentication.ts'
import type { AccountContext } from './context.ts'
import { createOnce, type Idempotency } from './idempotency.ts'
import { readPage } from './listing.ts'
import { assetNotFound, tokenExpired, unknownProducts } from './refusals.ts'
import { getReplaced } from './versions.ts'

interface CreatedUploadToken {
  token: UploadToken
  /** Returned only here; the database stores its hash. */
  secret: string
}

/** The token ends when the caller’s key is revoked. */
export async function createUploadToken(
  context: AccountContext,
  caller: Pick<Caller, 'key' | 'adminHash' | 'actor'>,
  request: UploadTokenLimits & { lifetimeMs: number },
  idempotency?: Idempotency,
): Promise<CreatedUploadToken & { isRepeated: boolean }> {
  const { lifetimeMs, ...limits } = request
  if (limits.attach !== null && limits.replaces !== null) {
    throw invalid({
      attach: ['cannot be combined with replace: the asset keeps its products'],
    })
  }
  if (limits.replaces !== null) await getReplaced(context, limits.replaces)
  const id = context.newId()
  const { data, accountId } = context
  const most = { lifetimeMs, maxTokens: MAX_UPLOAD_TOKENS }
  const newToken = (random: Uint8Array): NewUploadToken => {
    const secret = formatUploadToken(random)
    const keyHash = caller.key?.hash ?? adminKeyHash(secret, caller.adminHash ?? '')
    return { ...limits, id, hash: hashKey(secret), keyHash, createdBy: caller.actor }
  }
  const { result, isRepeated } = await createOnce(
    context,
    { id, idempotency },
    {
      hasSecret: true,
      add: (random) => data.addUploadToken(newToken(random), most),
      addOnce: (once, random) => data.addUploadTokenOnce(once, newToken(random), most),
      toResult(added, random): CreatedUploadToken {
        const { createdAt, expiresAt } = acceptAdded(added)
        const state = { accountId, createdAt, expiresAt, isExpired: false, revokedAt: null }
        return { token: { ...newToken(random), ...state }, secret: formatUploadToken(random) }
      },
      async find(tokenId, random) {
        const token = await data.findOwnUploadToken(tokenId)
        const secret = formatUploadToken(random)
        return token?.hash === hashKey(secret) ? { token, secret } : undefined
      },
    },
  )
  return { ...result, isRepeated }
}

function acceptAdded(added: AddedUploadToken) {
  if (added.outcome === 'too_many') {
    throw new ServiceError(
      'too_many_upload_tokens',
      `The account has ${MAX_UPLOAD_TOKENS} upload tokens that have not expired, which is the maximum. Create tokens with a shorter lifetime, and only when they are needed.`,
    )
  }
  if (added.outcome === 'products_not_found') throw unknownProducts(added.unknown, 'attach.')
  return added
}

/** The tokens of the account that can start uploads, newest first. */
export async function listUploadTokens(
  { data }: Pick<AccountContext, 'data'>,
  query: UploadTokenQuery,
): Promise<{ tokens: UploadToken[]; position: PagePosition }> {
  const { rows: tokens, position } = await readPage(
    query,
    (page) => data.listUploadTokens(page),
    ({ id }) => id,
  )
  return { tokens, position }
}

export async function getUploadToken(
  { data }: Pick<AccountContext, 'data'>,
  id: string,
): Promise<UploadToken> {
  const token = await data.findOwnUploadToken(id)
  if (token === undefined) throw tokenNotFound()
  return token
}

/** Takes effect immediately, also for the uploads that the token has started. */
export async function revokeUploadToken(
  { data }: Pick<AccountContext, 'data'>,
  id: string,
): Promise<void> {
  if (!(await data.revokeUploadToken(id))) throw tokenNotFound()
}

function tokenNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no upload token with this ID. Check the ID.')
}

/** Refuses an expired token, an asset that it may not replace, or a new asset if it may only replace one. */
export function checkReplaced(token: UploadToken, replaces: string | undefined): void {
  if (token.isExpired) throw tokenExpired(token)
  if (token.replaces === (replaces?.toLowerCase() ?? null)) return
  throw new ServiceError(
    'forbidden',
    token.replaces === null
      ? 'This upload token can only create assets. Call POST /assets/signed.'
      : `This upload token can only replace one file. Call POST /assets/${token.replaces}/signed.`,
  )
}

/** Refuses a media type that the token does not allow. The reservation checks the other limits. */
export function checkMediaType({ mediaTypes }: UploadToken, mime: string): void {
  if (mediaTypes === null || matchesMediaType(mediaTypes, mime)) return
  throw invalid({ mime: [`must be ${mediaTypes.join(' or ')}, but is ${mime}`] })
}

/**
 * The upload, if this token started it. Uploads of others look as if they did not exist. A token that has expired
 * can still continue its own uploads, so that large uploads can be completed.
 */
export async function getOwnUpload(
  { data }: Pick<AccountContext, 'data'>,
  token: UploadToken,
  { assetId, uploadId }: { assetId: string; uploadId: string | undefined },
): Promise<Upload> {
  const isOwn = (upload: Upload | undefined) => upload?.tokenId === token.id
  const first = await data.findUpload(assetId)
  if (first === undefined || first.replaces !== null) throw ownUploadNotFound(token)
  if (uploadId === undefined || uploadId === first.id) {
    if (isOwn(first)) return first
    throw ownUploadNotFound(token)
  }
  const replacement = isVisible(first.status)
    ? await data.findReplacement(assetId, uploadId)
    : undefined
  if (replacement !== undefined && isOwn(replacement)) return replacement
  throw isOwn(first)
    ? invalid({ uploadId: ['does not belong to this asset'] })
    : ownUploadNotFound(token)
}

function ownUploadNotFound(token: UploadToken) {
  return token.isExpired ? tokenExpired(token) : assetNotFound()
}
