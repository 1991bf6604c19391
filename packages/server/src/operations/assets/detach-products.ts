import type { Asset } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import { checkLinkOutcome } from './check-link-outcome.ts'
import { getAsset } from './get-asset.ts'

/** Unlinks the asset from all selected products. A product that is not linked is not an error. */
export async function detachProducts(
  context: AccountContext,
  assetId: string,
  selection: ProductSelection,
): Promise<Asset> {
  checkLinkOutcome(await context.data.detachProducts(assetId, selection))
  return getAsset(context, assetId)
}
