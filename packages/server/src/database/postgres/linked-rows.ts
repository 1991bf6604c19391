import type { AccountData } from '../account-data.ts'
import type { Sql } from './connection.ts'
import {
  ASSET_COLUMNS,
  type AssetRow,
  PRODUCT_COLUMNS,
  type ProductRow,
  toAsset,
  toProduct,
} from './rows.ts'

type LinkedRows = Pick<
  AccountData,
  'productsOfAssets' | 'productsOfAsset' | 'assetsOfProducts' | 'newestAssetsOf'
>

/** Reads what is linked, never more than a limit at once. */
export function ownLinkedRows(sql: Sql, account: string): LinkedRows {
  const productColumns = sql(PRODUCT_COLUMNS.map((column) => `p.${column}`))
  const assetColumns = sql(ASSET_COLUMNS.map((column) => `a.${column}`))

  return {
    async productsOfAssets(ids, most) {
      const rows = await sql<(ProductRow & { owner_id: string })[]>`
        select a.id as owner_id, ${productColumns}
        from assets a
        join asset_products l on l.asset_id = a.id
        join products p on p.id = l.product_id
        where a.account_id = ${account} and a.id = any(${ids}::uuid[])
        limit ${most + 1}`
      if (rows.length > most) return undefined
      return groupBy(inIdOrder(rows), toProduct)
    },

    async productsOfAsset(assetId, { after, limit }) {
      const behind = after === undefined ? sql`` : sql`and l.product_id > ${after}`
      const rows = await sql<ProductRow[]>`
        select ${productColumns}
        from assets a
        join asset_products l on l.asset_id = a.id
        join products p on p.id = l.product_id
        where a.account_id = ${account} and a.id = ${assetId} ${behind}
        order by l.product_id limit ${limit}`
      const next = rows.length < limit ? undefined : rows.at(-1)?.id
      return { products: rows.map(toProduct), next }
    },

    async assetsOfProducts(ids, most) {
      const rows = await sql<(AssetRow & { owner_id: string })[]>`
        select p.id as owner_id, ${assetColumns}
        from products p
        join asset_products l on l.product_id = p.id
        join assets a on a.id = l.asset_id and a.status = 'ready'
        where p.account_id = ${account} and p.id = any(${ids}::uuid[])
        limit ${most + 1}`
      if (rows.length > most) return undefined
      return groupBy(inIdOrder(rows).reverse(), toAsset)
    },

    async newestAssetsOf(productId, most) {
      const linked = sql`
        from products p
        join asset_products l on l.product_id = p.id
        join assets a on a.id = l.asset_id and a.status = 'ready'
        where p.account_id = ${account} and p.id = ${productId}`
      const rows = await sql<AssetRow[]>`
        select ${assetColumns} ${linked} order by l.asset_id desc limit ${most}`
      const assets = rows.map(toAsset)
      if (assets.length < most) return { assets, total: assets.length }
      const [counted] = await sql<{ total: number }[]>`select count(*) as total ${linked}`
      return { assets, total: counted?.total ?? 0 }
    },
  }
}

function inIdOrder<Row extends { id: string }>(rows: Iterable<Row>): Row[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function groupBy<Row extends { owner_id: string }, Value>(
  rows: Row[],
  convert: (row: Row) => Value,
): Map<string, Value[]> {
  const groups = Map.groupBy(rows, (row) => row.owner_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(convert)]))
}
