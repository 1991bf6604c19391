import type { AssetStatus } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'

/** Refuses to change an upload that was completed, or is being completed. */
export function refuseEnded(status: AssetStatus): void {
  if (status === 'ready') {
    throw new ServiceError(
      'already_uploaded',
      'The upload was completed already. Delete the asset if it is not wanted.',
    )
  }
  if (status === 'completing') {
    throw new ServiceError(
      'upload_completing',
      'The upload is being completed. Read the asset: it will be ready in a moment.',
    )
  }
}
