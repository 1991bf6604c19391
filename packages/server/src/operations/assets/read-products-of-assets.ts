import type { Asset } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'

/** So many products are read at once: a few milliseconds, also where each has many tags. */
const SLICE = 100

/** An asset with all of its products, or with the next of them where it has many. */
export interface ProductSlice {
  asset: Asset
  products: Product[]
  isFirst: boolean
  isLast: boolean
}

/**
 * Walks the assets with all of their products, in the given order. An asset with many products comes
 * several times in a row. One statement reads the products of as many assets as fit into a slice.
 */
export async function* sliceProducts(
  { data }: AccountContext,
  assets: Asset[],
): AsyncGenerator<ProductSlice[]> {
  for (let at = 0, size = assets.length; at < assets.length; ) {
    const chunk = assets.slice(at, at + size)
    const [first] = chunk
    if (first !== undefined && chunk.length === 1) {
      let slices = 0
      for await (const slice of productsOfOne(data, first)) {
        slices += 1
        yield [slice]
      }
      at += 1
      size = slices === 1 ? 2 : 1
      continue
    }
    const ids = chunk.map(({ id }) => id)
    const found = await data.productsOfAssets(ids, SLICE)
    if (found === undefined) {
      size = Math.ceil(chunk.length / 2)
      continue
    }
    const whole = { isFirst: true, isLast: true }
    yield chunk.map((asset) => ({ asset, products: found.get(asset.id) ?? [], ...whole }))
    at += chunk.length
    size = chunk.length * (isHalfEmpty(found, SLICE) ? 2 : 1)
  }
}

/** Then twice as many fit the next time. */
export function isHalfEmpty(found: Map<string, unknown[]>, most: number): boolean {
  const rows = [...found.values()].reduce((sum, list) => sum + list.length, 0)
  return rows * 2 <= most
}

async function* productsOfOne(
  data: AccountContext['data'],
  asset: Asset,
): AsyncGenerator<ProductSlice> {
  let after: string | undefined
  do {
    const { products, next } = await data.productsOfAsset(asset.id, { after, limit: SLICE })
    yield { asset, products, isFirst: after === undefined, isLast: next === undefined }
    after = next
  } while (after !== undefined)
}
