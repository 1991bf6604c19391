import type { ProductGroup } from '../../domain/product-group.ts'
import type { ProductSlice } from '../../operations/assets/read-products-of-assets.ts'
import type { ProductWithAssets } from '../../operations/products/with-newest-assets.ts'
import { presentAsset } from './present-asset.ts'
import { presentProduct } from './present-product.ts'
import { presentProductGroup } from './present-product-group.ts'
import { presentProductWithAssets } from './present-product-with-assets.ts'

/** The elements of a JSON array of assets. An asset with many products spans several chunks. */
export async function* assetChunks(slices: AsyncIterable<ProductSlice[]>): AsyncGenerator<string> {
  let isStart = true
  for await (const slice of slices) {
    let text = ''
    for (const { asset, products, isFirst, isLast } of slice) {
      const list = elementsOf(products.map(presentProduct))
      if (isFirst) {
        const members = JSON.stringify(presentAsset(asset)).slice(0, -1)
        text += `${isStart ? '' : ','}${members},"products":[${list}`
      } else if (list !== '') text += `,${list}`
      if (isLast) text += ']}'
      isStart = false
    }
    yield text
  }
}

/** The elements of a JSON array of products. */
export async function* productChunks(
  slices: AsyncIterable<ProductWithAssets[]>,
): AsyncGenerator<string> {
  let isStart = true
  for await (const slice of slices) {
    const list = elementsOf(slice.map(presentProductWithAssets))
    yield isStart ? list : `,${list}`
    isStart = false
  }
}

/** The elements of a JSON array of products with their variants. */
export async function* groupChunks(slices: AsyncIterable<ProductGroup[]>): AsyncGenerator<string> {
  let isStart = true
  for await (const slice of slices) {
    // All products of this slice were deleted in the meantime.
    if (slice.length === 0) continue
    const list = elementsOf(slice.map(presentProductGroup))
    yield isStart ? list : `,${list}`
    isStart = false
  }
}

/** The JSON before and after the elements of a list; `rest` are the other members of the body. */
export function aroundList(rest: object): { head: string; tail: string } {
  return { head: '{"data":[', tail: `],${JSON.stringify(rest).slice(1)}` }
}

/** The JSON before and after a single element. */
export const AROUND_ONE = { head: '{"data":', tail: '}' }

function elementsOf(list: unknown[]): string {
  return JSON.stringify(list).slice(1, -1)
}
