import type { ProductQuery } from '../../database/account-data.ts'
import type { PagePosition } from '../../domain/paging.ts'
import type { Product } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import { readPage } from '../listing/read-page.ts'
import { splitFilters, type TextFilters } from './split-filters.ts'

export type ProductListRequest = Omit<ProductQuery, keyof TextFilters | 'words'> & TextFilters

export async function listProducts(
  { data }: AccountContext,
  request: ProductListRequest,
): Promise<{ products: Product[]; position: PagePosition }> {
  const { rest, filters } = splitFilters(request)
  const query: ProductQuery = { ...rest, ...filters }
  const { rows, position } = await readPage(query, data.listProducts, ({ id }) => id)
  return { products: rows, position }
}
