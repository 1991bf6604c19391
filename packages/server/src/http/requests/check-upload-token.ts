import type { FastifyRequest } from 'fastify'
import type { UploadToken } from '../../domain/upload-token.ts'
import { ServiceError } from '../../errors.ts'
import { tokenExpired } from '../../operations/upload-tokens/token-expired.ts'

/** Refuses calls that an upload token may not make, and pages of other origins than the token’s. */
export function checkUploadToken(
  token: UploadToken,
  isAllowed: boolean,
  request: FastifyRequest,
): void {
  if (!isAllowed) {
    if (token.isExpired) throw tokenExpired(token)
    throw new ServiceError(
      'forbidden',
      'An upload token can only upload: start, resume, complete and cancel its own uploads. Use an API key for this call, and never put an API key into a web page.',
    )
  }
  const { origin } = request.headers
  if (token.origin === null || origin === token.origin) return
  // Browsers omit `Origin` for GET requests of a page to its own origin, and send it with all others.
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (origin === undefined && isReading) return
  throw new ServiceError(
    'forbidden',
    `This upload token is only valid on pages of ${token.origin}, but the request has ${origin === undefined ? 'no Origin' : `the Origin ${origin}`}. Request a token for this page.`,
  )
}
