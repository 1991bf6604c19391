import { formatSize } from '@stowage/protocol/format'
import type { Asset, AssetStatus, Upload } from '../domain/asset.ts'
import { invalid, ServiceError } from '../domain/errors.ts'
import type { ProductSelection } from '../domain/product.ts'
import { MAX_ACCOUNT_TAGS } from '../domain/tags.ts'
import type { UploadToken } from '../domain/upload-token.ts'
import { type AssetRoom, availableBytes, type Usage } from '../domain/usage.ts'

/** The same for an asset of another account and for one that never existed. */
export function assetNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no asset with this ID. Check the ID.')
}

/** Some of the assets do not exist, or are not in a state that allows the change. */
export function unknownAssets(ids: string[]): ServiceError {
  return invalid({ ids: [`contains unknown values: ${ids.join(', ')}`] })
}

/** The ready assets of the account have too many different tags for a new one. */
export function tooManyTags(): ServiceError {
  return invalid({
    tags: [
      `would be more than the ${MAX_ACCOUNT_TAGS} different tags that an account can have: use existing tags, or remove some from all assets`,
    ],
  })
}

/** The same for a product of another account and for one that never existed. */
export function productNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no product with this ID. Check the ID.')
}

/** Each field lists all of its unknown values. `parent` is the field that has the selection, such as `attach.`. */
export function unknownProducts(unknown: ProductSelection, parent = ''): ServiceError {
  const { productIds, variantIds, ids: products, skus } = unknown
  const errors = Object.entries({ productIds, variantIds, products, skus })
    .filter(([, values]) => values.length > 0)
    .map(([field, values]) => [
      parent + field,
      [`contains unknown values: ${[...new Set<string | number>(values)].join(', ')}`],
    ])
  return invalid(Object.fromEntries(errors))
}

export function versionNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'The asset has no version with this number. Call GET /assets/:id/versions to list them.',
  )
}

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

/** An asset has at most one unfinished replacement. */
export function replacementInProgress(uploadId: string): ServiceError {
  return new ServiceError(
    'replacement_in_progress',
    'Another replacement of this asset is unfinished. Resume it with GET /assets/:id/upload?upload_id=…, or cancel it.',
    { details: { upload_id: uploadId } },
  )
}

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

/** The plan does not allow this many more bytes. `demand` is a clause: "The file needs 5 GB". */
export function storageExceeded(demand: string, needed: number, usage: Usage): ServiceError {
  const available = availableBytes(usage)
  return new ServiceError(
    'storage_exceeded',
    `${demand}, but the plan has ${formatSize(available)} left. Delete files or upgrade the plan.`,
    { details: { needed, available, ...usage } },
  )
}

/** The plan does not allow this many more assets. `demand` is a clause: "Restoring needs 3 assets". */
export function assetsExceeded(
  demand: string,
  { needed, room: { limit, used } }: { needed: number; room: AssetRoom },
): ServiceError {
  const available = Math.max(0, limit - used)
  return new ServiceError(
    'assets_exceeded',
    `${demand}, but the plan allows ${available} more: at most ${limit} assets and unfinished uploads together. Delete assets, cancel uploads or upgrade the plan.`,
    { details: { needed, available, limit } },
  )
}

/** The server’s disk does not have this many bytes free besides its reserve. */
export function storageFull(needed: number, available: number): ServiceError {
  return new ServiceError(
    'storage_full',
    `The file needs ${formatSize(needed)}, but the server’s disk has ${formatSize(available)} left. Delete files permanently, empty the trash, or free space on the server.`,
    { details: { needed, available } },
  )
}

export function tokenExpired({ expiresAt }: Pick<UploadToken, 'expiresAt'>): ServiceError {
  return new ServiceError(
    'unauthenticated',
    `The upload token expired at ${expiresAt.toISOString()}. Request a new token.`,
  )
}

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

export function webhookNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no webhook with this ID. Check the ID.')
}

export function deliveryNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no delivery with this ID. Check the ID. Only the last 1,000 deliveries that have ended are kept, for at most 30 days.',
  )
}
