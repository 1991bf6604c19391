import { ServiceError } from '../../errors.ts'
import { getAsset } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { notReplaceable } from './not-replaceable.ts'
import { versionNotFound } from './version-not-found.ts'

/** Removes an older version and frees its bytes immediately. A job removes its object. */
export async function deleteVersion(
  context: AccountContext,
  assetId: string,
  version: number,
): Promise<void> {
  const outcome = await context.data.deleteVersion(assetId, version)
  if (outcome === 'asset_not_found') throw notReplaceable(await getAsset(context, assetId))
  if (outcome === 'version_not_found') throw versionNotFound()
  if (outcome === 'current') {
    throw new ServiceError(
      'current_version',
      'This is the current version. Restore another version first, or delete the asset.',
    )
  }
}
