import { isVisible, type Upload } from '../../domain/asset.ts'
import type { UploadToken } from '../../domain/upload-token.ts'
import { invalid } from '../../errors.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import type { AccountContext } from '../context.ts'
import { tokenExpired } from './token-expired.ts'

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
  if (first === undefined || first.replaces !== null) throw notFound(token)
  if (uploadId === undefined || uploadId === first.id) {
    if (isOwn(first)) return first
    throw notFound(token)
  }
  const replacement = isVisible(first.asset.status)
    ? await data.findReplacement(assetId, uploadId)
    : undefined
  if (replacement !== undefined && isOwn(replacement)) return replacement
  throw isOwn(first) ? invalid({ uploadId: ['does not belong to this asset'] }) : notFound(token)
}

function notFound(token: UploadToken) {
  return token.isExpired ? tokenExpired(token) : assetNotFound()
}
