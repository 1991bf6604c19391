import { MOST_NESTED_ASSETS } from '@stowage/protocol'
import type { Asset } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import { isHalfEmpty } from '../assets/read-products-of-assets.ts'
import type { AccountContext } from '../context.ts'

/** So many assets are read at once: a few milliseconds. */
const SLICE = 500

/** A product with its newest assets, and how many it has. */
export interface ProductWithAssets {
  product: Product
  assets: Asset[]
  total: number
}

/**
 * Walks the products with the newest assets of each, in the given order. One statement reads the assets of
 * as many products as fit into a slice.
 */
export async function* sliceAssets(
  context: AccountContext,
  products: Product[],
): AsyncGenerator<ProductWithAssets[]> {
  for (let at = 0, size = products.length; at < products.length; ) {
    const chunk = products.slice(at, at + size)
    const [first] = chunk
    if (first !== undefined && chunk.length === 1) {
      const one = await withNewestAssets(context, first)
      yield [one]
      at += 1
      size = one.total < SLICE ? 2 : 1
      continue
    }
    const ids = chunk.map(({ id }) => id)
    const found = await context.data.assetsOfProducts(ids, SLICE)
    if (found === undefined) {
      size = Math.ceil(chunk.length / 2)
      continue
    }
    yield chunk.map((product) => {
      const assets = found.get(product.id) ?? []
      return { product, assets: assets.slice(0, MOST_NESTED_ASSETS), total: assets.length }
    })
    at += chunk.length
    size = chunk.length * (isHalfEmpty(found, SLICE) ? 2 : 1)
  }
}

export async function withNewestAssets(
  { data }: AccountContext,
  product: Product,
): Promise<ProductWithAssets> {
  return { product, ...(await data.newestAssetsOf(product.id, MOST_NESTED_ASSETS)) }
}
