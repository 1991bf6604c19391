import { ServiceError } from '../../errors.ts'

export function webhookNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no webhook with this ID. Check the ID.')
}

export function deliveryNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no delivery with this ID. Check the ID. Only the last 1,000 deliveries that have ended are kept, for at most 30 days.',
  )
}
