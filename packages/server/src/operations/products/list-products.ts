import type { ProductQuery } from '../../database/account-data.ts'
import type { PagePosition } from '../../domain/paging.ts'
import type { Product } from '../../domain/product.ts'
import { foldText } from '../../domain/search-text.ts'
import type { AccountContext } from '../context.ts'
import { readPage } from '../listing/read-page.ts'

type TextFilter = 'name' | 'sku' | 'vendor' | 'tag'

/** An empty filter means no filter. */
export type ProductListRequest = Omit<ProductQuery, TextFilter> &
  Partial<Record<TextFilter, string | undefined>>

export async function listProducts(
  { data }: AccountContext,
  request: ProductListRequest,
): Promise<{ products: Product[]; position: PagePosition }> {
  const { name, sku, vendor, tag, ...rest } = request
  const query: ProductQuery = {
    ...rest,
    ...(name && { name: foldText(name) }),
    ...(sku && { sku }),
    ...(vendor && { vendor: foldText(vendor) }),
    ...(tag && { tag: foldText(tag) }),
  }
  const { rows, position } = await readPage(query, data.listProducts, ({ id }) => id)
  return { products: rows, position }
}
