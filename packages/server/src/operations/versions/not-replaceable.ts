import type { Asset } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'

/** Only a ready file can be replaced and has versions. */
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
