import type { AccountData } from '../account-data.ts'
import { groupByOwner } from '../group-by-owner.ts'
import type { Sql } from './connection.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { type AssetRow, assetColumns, toAsset } from './rows.ts'

type AttachedRows = Pick<
  AccountData,
  'productsOfAssets' | 'productsOfAsset' | 'assetsOfProducts' | 'newestAssetsOf'
>

/** Reads attached rows up to a limit. */
export function accountAttachedRows(sql: Sql, account: string): AttachedRows {
  const productColumns = sql(PRODUCT_COLUMNS.map((column) => `p.${column}`))
  const columns = assetColumns(sql, 'a')

  return {
    async productsOfAssets(ids, limit) {
      const rows = await sql<(ProductRow & { owner_id: string })[]>`
        select a.id as owner_id, ${productColumns}
        from assets a
        join asset_products l on l.asset_id = a.id
        join products p on p.id = l.product_id
        where a.account_id = ${account} and a.id = any(${ids}::uuid[])
        limit ${limit + 1}`
      if (rows.length > limit) return undefined
      return groupByOwner(inIdOrder(rows), toProduct)
    },

    async productsOfAsset(assetId, { after, limit }) {
      const afterCursor = after === undefined ? sql`` : sql`and l.product_id > ${after}`
      const rows = await sql<ProductRow[]>`
        select ${productColumns}
        from assets a
        join asset_products l on l.asset_id = a.id
        join products p on p.id = l.product_id
        where a.account_id = ${account} and a.id = ${assetId} ${afterCursor}
        order by l.product_id limit ${limit}`
      const next = rows.length < limit ? undefined : rows.at(-1)?.id
      return { products: rows.map(toProduct), next }
    },

    async assetsOfProducts(ids, limit) {
      const rows = await sql<(AssetRow & { owner_id: string })[]>`
        select p.id as owner_id, ${columns}
        from products p
        join asset_products l on l.product_id = p.id
        join assets a on a.id = l.asset_id and a.status = 'ready'
        where p.account_id = ${account} and p.id = any(${ids}::uuid[])
        limit ${limit + 1}`
      if (rows.length > limit) return undefined
      return groupByOwner(inIdOrder(rows).reverse(), toAsset)
    },

    async newestAssetsOf(productId, limit) {
      const attached = sql`
        from products p
        join asset_products l on l.product_id = p.id
        join assets a on a.id = l.asset_id and a.status = 'ready'
        where p.account_id = ${account} and p.id = ${productId}`
      const rows = await sql<AssetRow[]>`
        select ${columns} ${attached} order by l.asset_id desc limit ${limit}`
      const assets = rows.map(toAsset)
      if (assets.length < limit) return { assets, total: assets.length }
      const [counted] = await sql<{ total: number }[]>`select count(*) as total ${attached}`
      return { assets, total: counted?.total ?? 0 }
    },
  }
}

function inIdOrder<Row extends { id: string }>(rows: Iterable<Row>): Row[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
}
