import type { LinkOutcome } from '../../database/account-data.ts'
import type { Asset } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { exactText } from '../listing/page-request.ts'
import { assetNotFound, getAsset } from './get-asset.ts'

export interface ProductReferences {
  product_ids?: number[] | undefined
  variant_ids?: number[] | undefined
  products?: string[] | undefined
  skus?: string[] | undefined
}

/** Links the asset to products: to all that are named, or to none. Repeating it is no error. */
export async function attachProducts(
  context: AccountContext,
  assetId: string,
  references: ProductReferences,
): Promise<Asset> {
  settle(await context.data.attachProducts(assetId, selectionOf(references)))
  return getAsset(context, assetId)
}

/** The reverse of attaching. That a product was not attached is no error. */
export async function detachProducts(
  context: AccountContext,
  assetId: string,
  references: ProductReferences,
): Promise<Asset> {
  settle(await context.data.detachProducts(assetId, selectionOf(references)))
  return getAsset(context, assetId)
}

function selectionOf(references: ProductReferences): ProductSelection {
  const selection = {
    productIds: references.product_ids ?? [],
    variantIds: references.variant_ids ?? [],
    ids: references.products?.map((id) => id.toLowerCase()) ?? [],
    skus: references.skus?.flatMap((sku, index) => exactText(`skus.${index}`, sku) ?? []) ?? [],
  }
  if (Object.values(selection).every((ids) => ids.length === 0)) {
    throw invalid({
      product_ids: ['must name a product, if variant_ids, products and skus name none'],
    })
  }
  return selection
}

function settle(outcome: LinkOutcome): void {
  if (outcome.outcome === 'asset_not_found') throw assetNotFound()
  if (outcome.outcome !== 'products_not_found') return
  const { productIds, variantIds, ids, skus } = outcome.unknown
  const unknown = { product_ids: productIds, variant_ids: variantIds, products: ids, skus }
  const errors = Object.entries(unknown).filter(([, named]) => named.length > 0)
  throw invalid(
    Object.fromEntries(errors.map(([field, named]) => [field, [`unknown: ${listed(named)}`]])),
  )
}

/** All of them, each once: who sent hundreds wants to know which. */
function listed(named: (string | number)[]): string {
  return [...new Set(named)].join(', ')
}
