import type { AssetVersion } from '../../domain/asset.ts'
import { getAsset } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { notReplaceable } from './not-replaceable.ts'

/** All versions of a file, the highest number first. At most 100 older ones are kept. */
export async function listVersions(
  context: AccountContext,
  assetId: string,
): Promise<AssetVersion[]> {
  const versions = await context.data.listVersions(assetId)
  if (versions === undefined) throw notReplaceable(await getAsset(context, assetId))
  return versions
}
