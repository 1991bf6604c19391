import { ServiceError } from '../../errors.ts'

export function webhookNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no webhook with this ID. Check the ID.')
}

export function deliveryNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no delivery with this ID. Deliveries are removed after 30 days. Check the ID.',
  )
}
