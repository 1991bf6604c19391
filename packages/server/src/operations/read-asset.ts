import type { AccountContext } from './context.ts'
import { getAsset } from './get-asset.ts'
import { type AssetWithProducts, withProducts } from './list-assets.ts'

export async function readAsset(
  context: AccountContext,
  assetId: string,
  options: { withProducts: boolean },
): Promise<AssetWithProducts> {
  const asset = await getAsset(context, assetId)
  if (!options.withProducts) return { asset }
  const [found] = await withProducts(context.data, [asset])
  return found ?? { asset }
}
