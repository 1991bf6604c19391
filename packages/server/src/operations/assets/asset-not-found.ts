import { ServiceError } from '../../errors.ts'

/** The same for an asset of another account and for one that never existed. */
export function assetNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no asset with this ID. Check the ID.')
}
