import { rowRangeOf } from '../../domain/paging.ts'
import type { AccountData } from '../account-data.ts'
import { MAX_SKIPPED_ROWS } from '../listing/choose-strategy.ts'
import { inSnapshot, type Sql } from './connection.ts'
import { productFilter } from './product-filter.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { readPageWithTotal } from './statement.ts'

export function accountProductList(sql: Sql, account: string): Pick<AccountData, 'listProducts'> {
  return {
    async listProducts(query) {
      const filtered = productFilter(sql, account, query)
      const count = sql`select count(*) as total from products where ${filtered}`
      const { page, perPage, after } = query
      const offset = after === undefined ? (page - 1) * perPage : 0
      const columns = sql(PRODUCT_COLUMNS)
      if (offset <= MAX_SKIPPED_ROWS) {
        const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
        const { rows, total } = await readPageWithTotal<ProductRow>(sql, {
          count,
          page: sql`
            select ${columns} from products where ${filtered} ${beforeCursor}
            order by id desc limit ${perPage} offset ${offset}`,
          order: sql`id desc`,
        })
        return { rows: rows.map(toProduct), total }
      }
      return inSnapshot(sql, async () => {
        const [counted] = await sql<{ total: number }[]>`${count}`
        const total = counted?.total ?? 0
        const { isFromEnd, offset, limit } = rowRangeOf(query, total)
        if (limit === 0) return { rows: [], total }
        const rows = await sql<ProductRow[]>`
          select ${columns} from products where ${filtered}
          order by id ${isFromEnd ? sql`asc` : sql`desc`} limit ${limit} offset ${offset}`
        const products = rows.map(toProduct)
        return { rows: isFromEnd ? products.reverse() : products, total }
      })
    },
  }
}
