import type { ProductSlice } from '../operations/assets/read-products-of-assets.ts'
import type { ProductWithAssets } from '../operations/products/read-assets-of-products.ts'
import { presentAsset, presentProduct, presentProductWithAssets } from './present.ts'

/** The assets as JSON, with a comma between two of them; an asset with many products in several pieces. */
export async function* assetTexts(slices: AsyncIterable<ProductSlice[]>): AsyncGenerator<string> {
  let isBegin = true
  for await (const slice of slices) {
    let text = ''
    for (const { asset, products, isFirst, isLast } of slice) {
      const list = membersOf(products.map(presentProduct))
      if (isFirst) {
        const members = JSON.stringify(presentAsset(asset)).slice(0, -1)
        text += `${isBegin ? '' : ','}${members},"products":[${list}`
      } else if (list !== '') text += `,${list}`
      if (isLast) text += ']}'
      isBegin = false
    }
    yield text
  }
}

/** The products as JSON, with a comma between two of them. */
export async function* productTexts(
  slices: AsyncIterable<ProductWithAssets[]>,
): AsyncGenerator<string> {
  let isBegin = true
  for await (const slice of slices) {
    const list = membersOf(slice.map(presentProductWithAssets))
    yield isBegin ? list : `,${list}`
    isBegin = false
  }
}

/** What goes around a list of these texts. */
export function aroundList(rest: object): { head: string; tail: string } {
  return { head: '{"data":[', tail: `],${JSON.stringify(rest).slice(1)}` }
}

export const AROUND_ONE = { head: '{"data":', tail: '}' }

/** A list without its brackets. */
function membersOf(list: unknown[]): string {
  return JSON.stringify(list).slice(1, -1)
}
