import type { AssetStatus, Upload } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'

/** Refuses to change an upload that is completed or being completed. */
export function refuseCompleted(status: AssetStatus, { replaces }: Pick<Upload, 'replaces'>): void {
  if (status === 'ready') {
    throw new ServiceError(
      'already_uploaded',
      replaces === null
        ? 'The upload is already completed. Delete the asset if you do not need it.'
        : 'The new version is already current. Call POST /assets/:id/versions/:version/restore to make an older one current.',
    )
  }
  if (status === 'completing') {
    throw new ServiceError(
      'upload_completing',
      replaces === null
        ? 'The upload is being completed. Call GET /assets/:id until status is ready.'
        : 'The new version is being completed. Call GET /assets/:id/upload?upload_id=… until status is ready.',
    )
  }
}
