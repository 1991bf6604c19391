import type { Asset } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import { isHalfEmpty } from '../listing/is-half-empty.ts'

/** How many products one statement reads: a few milliseconds, even if each has many tags. */
const MAX_PRODUCTS = 100

/** An asset with all of its products, or with some of them if it has many. */
export interface ProductSlice {
  asset: Asset
  products: Product[]
  isFirst: boolean
  isLast: boolean
}

/**
 * Yields the assets with all of their products, in the given order. An asset with many products is
 * yielded several times in a row. One statement reads the products of as many assets as the limit allows.
 */
export async function* readProductsOfAssets(
  { data }: AccountContext,
  assets: Asset[],
): AsyncGenerator<ProductSlice[]> {
  for (let at = 0, size = assets.length; at < assets.length; ) {
    const batch = assets.slice(at, at + size)
    const [first] = batch
    if (first !== undefined && batch.length === 1) {
      let slices = 0
      for await (const slice of productsOfOne(data, first)) {
        slices += 1
        yield [slice]
      }
      at += 1
      size = slices === 1 ? 2 : 1
      continue
    }
    const ids = batch.map(({ id }) => id)
    const found = await data.productsOfAssets(ids, MAX_PRODUCTS)
    if (found === undefined) {
      size = Math.ceil(batch.length / 2)
      continue
    }
    const whole = { isFirst: true, isLast: true }
    yield batch.map((asset) => ({ asset, products: found.get(asset.id) ?? [], ...whole }))
    at += batch.length
    size = batch.length * (isHalfEmpty(found, MAX_PRODUCTS) ? 2 : 1)
  }
}

async function* productsOfOne(
  data: AccountContext['data'],
  asset: Asset,
): AsyncGenerator<ProductSlice> {
  let after: string | undefined
  do {
    const { products, next } = await data.productsOfAsset(asset.id, { after, limit: MAX_PRODUCTS })
    yield { asset, products, isFirst: after === undefined, isLast: next === undefined }
    after = next
  } while (after !== undefined)
}
