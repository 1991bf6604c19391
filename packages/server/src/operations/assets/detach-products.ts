import type { Asset } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import { checkAttachmentOutcome } from './check-attachment-outcome.ts'
import { getAsset } from './get-asset.ts'

/** Detaches the asset from all selected products. Detaching a product that is not attached has no effect. */
export async function detachProducts(
  context: AccountContext,
  assetId: string,
  selection: ProductSelection,
): Promise<Asset> {
  checkAttachmentOutcome(await context.data.detachProducts(assetId, selection))
  return getAsset(context, assetId)
}
