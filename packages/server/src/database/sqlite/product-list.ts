import { rowRangeOf } from '../../domain/paging.ts'
import type { Product } from '../../domain/product.ts'
import type { ProductQuery, Rows } from '../account-data.ts'
import { prepareProductFilter } from './product-filter.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import type { Connection } from './statement.ts'

export function prepareProductList(connection: Connection) {
  const { prepare } = connection
  const filterOf = prepareProductFilter(connection)
  return {
    listProducts(account: string, query: ProductQuery): Rows<Product> {
      const { from, parameters } = filterOf(query)
      const count = prepare<{ total: number }>(`select count(*) as total ${from}`)
      const total = count.get({ account, ...parameters })?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const direction = isFromEnd ? 'asc' : 'desc'
      const { after } = query
      const beforeCursor = after === undefined ? '' : 'and id < :after'
      const page = prepare<ProductRow>(
        `select ${PRODUCT_COLUMNS} ${from} ${beforeCursor}
         order by id ${direction} limit +:limit offset :offset`,
      )
      const cursor = after && { after: after.id }
      const rows = page.all({ account, ...parameters, ...cursor, limit, offset }).map(toProduct)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },
  }
}
