import type { PendingQuery, Row } from 'postgres'
import { stretchOf } from '../../domain/paging.ts'
import type { AccountData, AssetQuery, AssetSort, ProductQuery } from '../account-data.ts'
import type { Sql } from './connection.ts'
import {
  ASSET_COLUMNS,
  type AssetRow,
  PRODUCT_COLUMNS,
  type ProductRow,
  toAsset,
  toProduct,
} from './rows.ts'

/** Each has an index behind it that ends with the id, so that equal ones keep an order. */
const SORTS: Record<AssetSort['by'], string[]> = {
  created_at: ['id'],
  filename: ['search_name', 'id'],
  bytes: ['bytes', 'id'],
}

type Fragment = PendingQuery<Row[]>

/** A pattern that means the text itself, anywhere. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

export function ownLists(
  sql: Sql,
  account: string,
): Pick<AccountData, 'listAssets' | 'listProducts'> {
  const and = (conditions: Fragment[]) =>
    conditions.reduce((all, condition) => sql`${all} and ${condition}`)

  const linkedTo = (condition: Fragment) => sql`id in (
    select l.asset_id from products p join asset_products l on l.product_id = p.id
    where p.account_id = ${account} and ${condition})`

  function assetConditions(query: AssetQuery) {
    const { name, kind, linked, sku, productId } = query
    const conditions: Fragment[] = []
    if (name !== undefined) conditions.push(sql`search_name like ${containing(name)}`)
    if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
    if (linked !== undefined) conditions.push(sql`linked = ${linked}`)
    if (sku !== undefined) conditions.push(linkedTo(sql`p.sku = ${sku}`))
    if (productId !== undefined) conditions.push(linkedTo(sql`p.product_id = ${productId}`))
    return conditions
  }

  function productConditions(query: ProductQuery) {
    const { name, sku, productId, variantId, vendor, tag } = query
    const conditions: Fragment[] = []
    if (name !== undefined) conditions.push(sql`search_name like ${containing(name)}`)
    if (sku !== undefined) conditions.push(sql`sku = ${sku}`)
    if (productId !== undefined) conditions.push(sql`product_id = ${productId}`)
    if (variantId !== undefined) conditions.push(sql`variant_id = ${variantId}`)
    if (vendor !== undefined) conditions.push(sql`search_vendor = ${vendor}`)
    if (tag !== undefined) conditions.push(sql`search_tags @> ${sql.array([tag])}`)
    return conditions
  }

  async function totalOf(counting: PromiseLike<Iterable<object>>): Promise<number> {
    const [row] = (await counting) as Iterable<{ total: number }>
    return row?.total ?? 0
  }

  return {
    async listAssets(query) {
      const conditions = assetConditions(query)
      const filtered = and([sql`account_id = ${account}`, sql`status = 'ready'`, ...conditions])
      const total = await totalOf(
        conditions.length === 0
          ? sql`select asset_count as total from accounts where id = ${account}`
          : sql`select count(*) as total from assets where ${filtered}`,
      )
      const { isFromEnd, offset, limit } = stretchOf(query, total)
      if (limit === 0) return { rows: [], total }
      const direction = query.sort.descending === isFromEnd ? sql`asc` : sql`desc`
      const [first = 'id', second] = SORTS[query.sort.by]
      const order = second
        ? sql`${sql(first)} ${direction}, ${sql(second)} ${direction}`
        : sql`${sql(first)} ${direction}`
      const rows = await sql<AssetRow[]>`
        select ${sql(ASSET_COLUMNS)} from assets where ${filtered}
        order by ${order} limit ${limit} offset ${offset}`
      const assets = rows.map(toAsset)
      return { rows: isFromEnd ? assets.reverse() : assets, total }
    },

    async listProducts(query) {
      const filtered = and([sql`account_id = ${account}`, ...productConditions(query)])
      const total = await totalOf(sql`select count(*) as total from products where ${filtered}`)
      const { isFromEnd, offset, limit } = stretchOf(query, total)
      if (limit === 0) return { rows: [], total }
      const rows = await sql<ProductRow[]>`
        select ${sql(PRODUCT_COLUMNS)} from products where ${filtered}
        order by id ${isFromEnd ? sql`asc` : sql`desc`} limit ${limit} offset ${offset}`
      const products = rows.map(toProduct)
      return { rows: isFromEnd ? products.reverse() : products, total }
    },
  }
}
