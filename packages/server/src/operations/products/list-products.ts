import type { ProductQuery } from '../../database/account-data.ts'
import type { PagePosition } from '../../domain/paging.ts'
import type { Product } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import {
  cursorWish,
  exactText,
  type PageWish,
  pageRequest,
  searchText,
} from '../listing/page-request.ts'
import { readPage } from '../listing/read-page.ts'

export interface ProductListRequest extends PageWish {
  name?: string | undefined
  sku?: string | undefined
  product_id?: number | undefined
  variant_id?: number | undefined
  vendor?: string | undefined
  tag?: string | undefined
  /** Linked to this asset. */
  ofAsset?: string | undefined
}

export async function listProducts(
  { data }: AccountContext,
  request: ProductListRequest,
): Promise<{ products: Product[]; position: PagePosition }> {
  const sku = exactText('sku', request.sku)
  const { product_id, variant_id, ofAsset } = request
  const name = searchText('name', request.name)
  const vendor = searchText('vendor', request.vendor)
  const tag = searchText('tag', request.tag)
  const query: ProductQuery = {
    ...pageRequest(request),
    ...cursorWish(request, 'created_at'),
    ...(name !== undefined && { name }),
    ...(sku !== undefined && { sku }),
    ...(product_id !== undefined && { productId: product_id }),
    ...(variant_id !== undefined && { variantId: variant_id }),
    ...(vendor !== undefined && { vendor }),
    ...(tag !== undefined && { tag }),
    ...(ofAsset !== undefined && { ofAsset }),
  }
  const { rows, position } = await readPage(query, data.listProducts, ({ id }) => id)
  return { products: rows, position }
}
