import type { ProductQuery } from '../account-data.ts'
import type { Sql } from './connection.ts'
import { containing } from './name-filter.ts'
import { allOf, type Fragment } from './statement.ts'

/** The condition for the rows of products that match the filters of a query. */
export function productFilter(
  sql: Sql,
  account: string,
  query: Omit<ProductQuery, 'after'>,
): Fragment {
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
