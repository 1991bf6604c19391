import type { ListProductGroupsQuery, ListProductsQuery } from '@stowage/protocol'
import { MAX_GROUPS } from '@stowage/protocol'
import { invalid } from '../../errors.ts'
import type { ProductGroupListRequest } from '../../operations/products/list-product-groups.ts'
import type { ProductListRequest } from '../../operations/products/list-products.ts'
import { readPageRequest } from './read-page-request.ts'

export function readProductListRequest(query: ListProductsQuery): ProductListRequest {
  return { ...readPageRequest(query, 'created_at'), ...readFilters(query) }
}

/** The cursor of a page is the `product_id` of its last product. */
export function readProductGroupListRequest(
  query: ListProductGroupsQuery,
): ProductGroupListRequest {
  const { after, ...rest } = query
  const page = readPageRequest(rest, 'created_at')
  const request = {
    page: page.page,
    perPage: Math.min(page.perPage, MAX_GROUPS),
    ...readFilters(query),
  }
  if (after === undefined) return request
  if (query.page !== undefined) throw invalid({ page: ['must be omitted if after is given'] })
  const id = /^\d{1,16}$/.test(after) ? Number(after) : Number.NaN
  if (Number.isSafeInteger(id)) return { ...request, after: id }
  throw invalid({ after: ['must be the meta.next_after of a page of this list'] })
}

function readFilters(query: ListProductsQuery) {
  const { search, name, sku, vendor, tag, product_id: productId, variant_id: variantId } = query
  return {
    search,
    name,
    sku,
    vendor,
    tag,
    ...(productId !== undefined && { productId }),
    ...(variantId !== undefined && { variantId }),
  }
}
