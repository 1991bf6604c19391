import { rowRangeOf } from '../../domain/paging.ts'
import type { AccountData } from '../account-data.ts'
import type { Sql } from './connection.ts'
import { productFilter } from './product-filter.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'

export function accountProductList(sql: Sql, account: string): Pick<AccountData, 'listProducts'> {
  return {
    async listProducts(query) {
      const filtered = productFilter(sql, account, query)
      const [counted] = await sql<{ total: number }[]>`
        select count(*) as total from products where ${filtered}`
      const total = counted?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const { after } = query
      const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
      const rows = await sql<ProductRow[]>`
        select ${sql(PRODUCT_COLUMNS)} from products where ${filtered} ${beforeCursor}
        order by id ${isFromEnd ? sql`asc` : sql`desc`} limit ${limit} offset ${offset}`
      const products = rows.map(toProduct)
      return { rows: isFromEnd ? products.reverse() : products, total }
    },
  }
}
