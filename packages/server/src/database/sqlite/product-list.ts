import { rowRangeOf } from '../../domain/paging.ts'
import type { Product } from '../../domain/product.ts'
import type { ProductQuery, Rows } from '../account-data.ts'
import { countFewProducts, type ProductFilter, prepareProductFilter } from './product-filter.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { type LongReads, type Scan, scanList } from './scan.ts'
import type { Connection } from './statement.ts'

export function prepareProductList(connection: Connection, longReads: LongReads) {
  const filterOf = prepareProductFilter(connection)

  function readPage(
    account: string,
    query: ProductQuery,
    { filter, from, total }: { filter: ProductFilter; from: string; total: number },
  ): ProductRow[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { after } = query
    const conditions = [...filter.conditions, ...(after === undefined ? [] : ['id < :after'])]
    const page = connection.prepare<ProductRow>(
      `select ${PRODUCT_COLUMNS} ${from} where ${conditions.join(' and ') || 'true'}
       order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
    )
    const cursor = after && { after: after.id }
    const rows = page.all({ account, ...filter.parameters, ...cursor, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scan(
    account: string,
    query: ProductQuery,
    filter: ProductFilter,
  ): Promise<Rows<ProductRow>> {
    const list: Scan = {
      account,
      table: 'products',
      index: 'products_newest',
      own: 'account_id = :account',
      order: ['id'],
      descending: true,
      filter,
      after: query.after && [query.after.id],
    }
    return scanList(longReads, { scan: list, page: query, columns: PRODUCT_COLUMNS })
  }

  return {
    async listProducts(account: string, query: ProductQuery): Promise<Rows<Product>> {
      const filter = filterOf(query)
      const few = countFewProducts(connection, { account, filter, count: 'count(*)' })
      const { rows, total } =
        few === undefined
          ? await scan(account, query, filter)
          : { rows: readPage(account, query, { filter, ...few }), total: few.total }
      return { rows: rows.map(toProduct), total }
    },
  }
}
