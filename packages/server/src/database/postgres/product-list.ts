import { rowRangeOf } from '../../domain/paging.ts'
import type { ProductQuery } from '../account-data.ts'
import { MAX_SKIPPED_ROWS } from '../shared/listing.ts'
import {
  type GroupRow,
  PRODUCT_COLUMNS,
  type ProductRow,
  toProduct,
  toProductGroups,
} from '../shared/product-rows.ts'
import type { AccountMethods } from '../shared/wire-account-data.ts'
import { allOf, type Fragment, inSnapshot, readPageWithTotal, type Sql } from './connection.ts'
import { containing } from './search.ts'

export function accountProductList(sql: Sql, account: string): AccountMethods['productList'] {
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

interface ProductIdRow {
  productId: number
  matching: number
}

/** Lists the products of the shop with their variants. */
export function accountProductGroups(sql: Sql, account: string): AccountMethods['productGroups'] {
  return {
    async listProductIds(query) {
      const filtered = productFilter(sql, account, query)
      const count = sql`
        select count(distinct product_id) as total from products where ${filtered}`
      const { page, perPage, after } = query
      const offset = after === undefined ? (page - 1) * perPage : 0
      const grouped = sql`
        select product_id as "productId", count(*) as matching from products
        where ${filtered} ${after === undefined ? sql`` : sql`and product_id < ${after}`}
        group by product_id`
      if (offset <= MAX_SKIPPED_ROWS) {
        return readPageWithTotal<ProductIdRow>(sql, {
          count,
          page: sql`${grouped} order by product_id desc limit ${perPage} offset ${offset}`,
          order: sql`"productId" desc`,
        })
      }
      return inSnapshot(sql, async () => {
        const [counted] = await sql<{ total: number }[]>`${count}`
        const total = counted?.total ?? 0
        const { isFromEnd, offset, limit } = rowRangeOf({ page, perPage }, total)
        if (limit === 0) return { rows: [], total }
        const rows = await sql<ProductIdRow[]>`
          ${grouped} order by product_id ${isFromEnd ? sql`asc` : sql`desc`}
          limit ${limit} offset ${offset}`
        return { rows: isFromEnd ? [...rows].reverse() : [...rows], total }
      })
    },

    async readProductGroups(productIds, options) {
      const { variants, attachments, ofAsset } = options
      const ids = sql`unnest(${productIds}::bigint[]) as wanted (id)`
      const ofProduct = sql`p.account_id = ${account} and p.product_id = wanted.id`
      const attached =
        ofAsset === undefined
          ? sql``
          : sql`and exists (
              select from assets a join asset_products l on l.asset_id = a.id
              where a.account_id = ${account} and a.id = ${ofAsset} and l.product_id = p.id)`
      const rows = await sql<ProductRow[]>`
        select v.* from ${ids} cross join lateral (
          select ${sql(PRODUCT_COLUMNS)} from products p where ${ofProduct} ${attached}
          order by p.variant_id limit ${variants}) v
        order by v.product_id desc, v.variant_id`
      const attachedRows = (limit: number) => sql`
        select l.asset_id from products p join asset_products l on l.product_id = p.id
        where ${ofProduct} limit ${limit}`
      // Counting stops after `attachments` rows. `attached` reads one more, which shows whether there are more.
      const counts =
        ofAsset === undefined
          ? sql`(select count(*) from (${attachedRows(attachments + 1)}) l) as attached,
              (select count(distinct l.asset_id) from (${attachedRows(attachments)}) l
                join assets a on a.id = l.asset_id and a.status = 'ready') as assets`
          : sql`null as attached, null as assets`
      const totals = await sql<GroupRow[]>`
        select wanted.id as product_id,
          (select count(*) from products p where ${ofProduct}) as variants_total, ${counts}
        from ${ids}`
      return toProductGroups(rows, totals, options)
    },
  }
}

/** The condition for the rows of products that match the filters of a query. */
function productFilter(sql: Sql, account: string, query: Omit<ProductQuery, 'after'>): Fragment {
  const { words = [], name, sku, productId, variantId, vendor, tag, ofAsset } = query
  const conditions: Fragment[] = [sql`account_id = ${account}`]
  for (const word of words) conditions.push(sql`search_text like ${containing(word)}`)
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
  return allOf(sql, conditions)
}
