import type { AssetStatus } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'

/** Refuses to change an upload that is completed or being completed. */
export function refuseCompleted(status: AssetStatus): void {
  if (status === 'ready') {
    throw new ServiceError(
      'already_uploaded',
      'The upload is already completed. Delete the asset if you do not need it.',
    )
  }
  if (status === 'completing') {
    throw new ServiceError(
      'upload_completing',
      'The upload is being completed. Call GET /assets/:id until status is ready.',
    )
  }
}
