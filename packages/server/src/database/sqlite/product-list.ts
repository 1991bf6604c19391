import { rowRangeOf } from '../../domain/paging.ts'
import type { Product } from '../../domain/product.ts'
import type { ProductQuery, Rows } from '../account-data.ts'
import { type Filter, prepareNameFilter } from './name-filter.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import type { Connection } from './statement.ts'

const TAGGED = `seq in (
  select product_seq from product_tags where account_id = :account and tag = :tag)`

const OF_ASSET = `seq in (
  select l.product_seq from assets a join asset_products l on l.asset_seq = a.seq
  where a.account_id = :account and a.id = :of_asset)`

function filterOf(query: ProductQuery, byName: (name: string) => Filter): Filter {
  const filter: Filter =
    query.name === undefined ? { conditions: [], parameters: {} } : byName(query.name)
  const equal: [string, string, string | number | undefined][] = [
    ['sku', 'sku = :sku', query.sku],
    ['product_id', 'product_id = :product_id', query.productId],
    ['variant_id', 'variant_id = :variant_id', query.variantId],
    ['vendor', 'search_vendor = :vendor', query.vendor],
    ['tag', TAGGED, query.tag],
    ['of_asset', OF_ASSET, query.ofAsset],
  ]
  for (const [parameter, condition, value] of equal) {
    if (value === undefined) continue
    filter.conditions.push(condition)
    filter.parameters[parameter] = value
  }
  return filter
}

export function prepareProductList(connection: Connection) {
  const { prepare } = connection
  const byName = prepareNameFilter(connection)
  return {
    listProducts(account: string, query: ProductQuery): Rows<Product> {
      const { conditions, parameters, isSelective } = filterOf(query, byName)
      // The plus makes SQLite start from the selective filter instead of the account's index.
      const own = `from products where ${isSelective ? '+' : ''}account_id = :account`
      const filtered = [own, ...conditions].join(' and ')
      const count = prepare<{ total: number }>(`select count(*) as total ${filtered}`)
      const total = count.get({ account, ...parameters })?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const direction = isFromEnd ? 'asc' : 'desc'
      const { after } = query
      const beforeCursor = after === undefined ? '' : 'and id < :after'
      const page = prepare<ProductRow>(
        `select ${PRODUCT_COLUMNS} ${filtered} ${beforeCursor}
         order by id ${direction} limit +:limit offset :offset`,
      )
      const cursor = after && { after: after.id }
      const rows = page.all({ account, ...parameters, ...cursor, limit, offset }).map(toProduct)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },
  }
}
