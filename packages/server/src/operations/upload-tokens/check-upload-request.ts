import { matchesMediaType } from '../../domain/media-type-pattern.ts'
import type { UploadToken } from '../../domain/upload-token.ts'
import { invalid, ServiceError } from '../../errors.ts'
import { tokenExpired } from './token-expired.ts'

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
