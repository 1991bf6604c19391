import { formatSize } from '@stowage/protocol/format'
import { ServiceError } from '../../errors.ts'

/** The token does not allow this upload. */
export function tokenExceeded(
  size: number,
  remaining: { bytes: number; files: number },
): ServiceError {
  const problem =
    remaining.files === 0
      ? 'The upload token allows no more files.'
      : `The file needs ${formatSize(size)}, but the upload token has ${formatSize(remaining.bytes)} left.`
  const advice = remaining.files === 0 ? 'Request' : 'Choose a smaller file, or request'
  return new ServiceError('upload_token_exceeded', `${problem} ${advice} another upload token.`, {
    details: { remaining_bytes: remaining.bytes, remaining_files: remaining.files },
  })
}
