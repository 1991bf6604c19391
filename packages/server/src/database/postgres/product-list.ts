import { rowRangeOf } from '../../domain/paging.ts'
import type { AccountData, ProductQuery } from '../account-data.ts'
import type { Sql } from './connection.ts'
import { containing } from './name-filter.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { allOf, type Fragment } from './statement.ts'

export function accountProductList(sql: Sql, account: string): Pick<AccountData, 'listProducts'> {
  function conditionsOf(query: ProductQuery): Fragment[] {
    const { name, sku, productId, variantId, vendor, tag, ofAsset } = query
    const conditions: Fragment[] = [sql`account_id = ${account}`]
    if (name !== undefined) conditions.push(sql`search_name like ${containing(name)}`)
    if (sku !== undefined) conditions.push(sql`sku = ${sku}`)
    if (productId !== undefined) conditions.push(sql`product_id = ${productId}`)
    if (variantId !== undefined) conditions.push(sql`variant_id = ${variantId}`)
    if (vendor !== undefined) conditions.push(sql`search_vendor = ${vendor}`)
    if (tag !== undefined) conditions.push(sql`search_tags @> ${[tag]}::text[]`)
    if (ofAsset !== undefined) {
      conditions.push(sql`id in (
        select l.product_id from assets a join asset_products l on l.asset_id = a.id
        where a.account_id = ${account} and a.id = ${ofAsset})`)
    }
    return conditions
  }

  return {
    async listProducts(query) {
      const filtered = allOf(sql, conditionsOf(query))
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
