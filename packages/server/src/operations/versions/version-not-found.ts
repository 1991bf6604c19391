import { ServiceError } from '../../errors.ts'

export function versionNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'The asset has no version with this number. Call GET /assets/:id/versions to list them.',
  )
}
