import type { UploadToken } from '../../domain/upload-token.ts'
import { ServiceError } from '../../errors.ts'

export function tokenExpired({ expiresAt }: Pick<UploadToken, 'expiresAt'>): ServiceError {
  return new ServiceError(
    'unauthenticated',
    `The upload token expired at ${expiresAt.toISOString()}. Request a new token.`,
  )
}
