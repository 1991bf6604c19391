import type { Asset } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import { checkAttachmentOutcome } from './check-attachment-outcome.ts'
import { getAsset } from './get-asset.ts'

/** Attaches the asset to all selected products, or to none. Attaching a product again has no effect. */
export async function attachProducts(
  context: AccountContext,
  assetId: string,
  selection: ProductSelection,
): Promise<Asset> {
  checkAttachmentOutcome(await context.data.attachProducts(assetId, selection))
  return getAsset(context, assetId)
}
