import type { Asset } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'

/** Only a ready file has versions. */
export function notReplaceable(asset: Pick<Asset, 'kind' | 'status'> | undefined): ServiceError {
  if (asset?.kind === 'link') {
    return new ServiceError(
      'not_a_file',
      'The asset is a link and has no versions. Call PUT /assets/:id to change its URL.',
    )
  }
  if (asset?.status === 'uploading' || asset?.status === 'completing') {
    return new ServiceError(
      'not_ready',
      'The file is still uploading. Complete or cancel its upload first.',
    )
  }
  return assetNotFound()
}

export function replacementInProgress(uploadId: string): ServiceError {
  return new ServiceError(
    'replacement_in_progress',
    'Another replacement of this asset is unfinished. Resume it with GET /assets/:id/upload?upload_id=…, or cancel it.',
    { details: { upload_id: uploadId } },
  )
}

export function versionNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'The asset has no version with this number. Call GET /assets/:id/versions to list them.',
  )
}
