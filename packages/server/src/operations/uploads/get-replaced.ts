import type { Asset } from '../../domain/asset.ts'
import { getAsset } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'
import { notReplaceable } from '../versions/not-replaceable.ts'

/** The asset to replace. The reservation checks again that it is a ready file. */
export async function getReplaced(context: AccountContext, assetId: string): Promise<Asset> {
  const asset = await getAsset(context, assetId)
  if (asset.kind !== 'file' || asset.status !== 'ready') throw notReplaceable(asset)
  return asset
}
