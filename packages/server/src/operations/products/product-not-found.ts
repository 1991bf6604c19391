import { ServiceError } from '../../errors.ts'

/** The same for a product of another account and for one that never existed. */
export function productNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no product with this ID. Check the ID.')
}
