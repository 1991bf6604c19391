import type { Asset } from '../../domain/asset.ts'
import { getAsset } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { notReplaceable } from './not-replaceable.ts'
import { versionNotFound } from './version-not-found.ts'

/**
 * Makes an older version current: its content, its name and its number. The version that was current becomes
 * an older one, so this can be undone. Repeating the call returns the same result.
 */
export async function restoreVersion(
  context: AccountContext,
  assetId: string,
  version: number,
): Promise<Asset> {
  const restored = await context.data.restoreVersion(assetId, version)
  if (restored.outcome === 'asset_not_found') throw notReplaceable(await getAsset(context, assetId))
  if (restored.outcome === 'version_not_found') throw versionNotFound()
  return restored.asset
}
