import type { EventToken } from './event.ts'
import type { NewUploadToken } from './upload-token.ts'

/** The data of the event of a new token. */
export function toEventToken(token: NewUploadToken, expiresAt: Date): EventToken {
  const { id, maxBytes, maxFiles, mediaTypes, origin, replaces } = token
  return { id, maxBytes, maxFiles, mediaTypes, origin, replaces, expiresAt }
}
