import { MAX_NESTED_ASSETS } from '@stowage/protocol'
import type { Product } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import { isHalfEmpty } from '../listing/is-half-empty.ts'
import { type ProductWithAssets, withNewestAssets } from './with-newest-assets.ts'

/** How many assets one statement reads: this takes a few milliseconds. */
const MAX_ASSETS = 500

/**
 * Yields the products with the newest assets of each, in the given order. One statement reads the
 * assets of as many products as the limit allows.
 */
export async function* readAssetsOfProducts(
  context: AccountContext,
  products: Product[],
): AsyncGenerator<ProductWithAssets[]> {
  for (let at = 0, size = products.length; at < products.length; ) {
    const batch = products.slice(at, at + size)
    const [first] = batch
    if (first !== undefined && batch.length === 1) {
      const one = await withNewestAssets(context, first)
      yield [one]
      at += 1
      size = one.total < MAX_ASSETS ? 2 : 1
      continue
    }
    const ids = batch.map(({ id }) => id)
    const found = await context.data.assetsOfProducts(ids, MAX_ASSETS)
    if (found === undefined) {
      size = Math.ceil(batch.length / 2)
      continue
    }
    yield batch.map((product) => {
      const assets = found.get(product.id) ?? []
      return { product, assets: assets.slice(0, MAX_NESTED_ASSETS), total: assets.length }
    })
    at += batch.length
    size = batch.length * (isHalfEmpty(found, MAX_ASSETS) ? 2 : 1)
  }
}
