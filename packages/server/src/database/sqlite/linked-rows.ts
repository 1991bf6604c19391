import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Asset } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'
import type { Connection } from './statement.ts'

/** So many links are counted in one turn of the event loop: about a millisecond. */
const COUNTED_A_TURN = 2000

function qualified(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')
}

const PRODUCTS = qualified('p', PRODUCT_COLUMNS)
const ASSETS = qualified('a', LISTED_COLUMNS)

/** Reads what is linked, never more than a limit at once. Sorting is left to us: SQLite would read all rows for it. */
export function prepareLinkedRows({ prepare }: Connection) {
  const products = prepare<ProductRow & { owner_id: string }>(
    `select a.id as owner_id, ${PRODUCTS}
     from json_each(:ids) j
     cross join assets a on a.id = j.value and a.account_id = :account
     cross join asset_products l on l.asset_seq = a.seq
     cross join products p on p.seq = l.product_seq
     limit +:limit`,
  )
  const nextProducts = prepare<ProductRow>(
    `select ${PRODUCTS}
     from assets a
     cross join asset_products l on l.asset_seq = a.seq
     cross join products p on p.seq = l.product_seq
     where a.id = :asset and a.account_id = :account and l.product_seq > :after
     order by l.product_seq limit +:limit`,
  )
  const productSeq = prepare<{ seq: number }>(
    'select seq from products where id = :id and account_id = :account',
  )
  const assets = prepare<ListedRow & { owner_id: string }>(
    `select p.id as owner_id, ${ASSETS}
     from json_each(:ids) j
     cross join products p on p.id = j.value and p.account_id = :account
     cross join asset_products l on l.product_seq = p.seq
     cross join assets a on a.seq = l.asset_seq and a.status = 'ready'
     limit +:limit`,
  )
  const newest = prepare<ListedRow>(
    `select ${ASSETS}
     from asset_products l cross join assets a on a.seq = l.asset_seq and a.status = 'ready'
     where l.product_seq = :product order by l.asset_seq desc limit +:limit`,
  )
  const counted = prepare<{ links: number; ready: number; last: number | null }>(
    `select count(*) as links, sum(a.status = 'ready') as ready, max(a.seq) as last
     from (
       select asset_seq from asset_products
       where product_seq = :product and asset_seq > :after
       order by asset_seq limit ${COUNTED_A_TURN}) l
     cross join assets a on a.seq = l.asset_seq`,
  )

  async function countReady(product: number): Promise<number> {
    for (let total = 0, after = -1; ; ) {
      const row = counted.get({ product, after })
      total += row?.ready ?? 0
      if (row === undefined || row.last === null || row.links < COUNTED_A_TURN) return total
      after = row.last
      await nextTurn()
    }
  }

  return {
    productsOfAssets(account: string, ids: string[], most: number) {
      const rows = products.all({ account, ids: JSON.stringify(ids), limit: most + 1 })
      if (rows.length > most) return undefined
      rows.sort((a, b) => a.seq - b.seq)
      return groupBy(rows, toProduct)
    },

    productsOfAsset(
      account: string,
      asset: string,
      { after, limit }: { after: string | undefined; limit: number },
    ): { products: Product[]; next: string | undefined } {
      const rows = nextProducts.all({ account, asset, after: Number(after ?? -1), limit })
      const next = rows.length < limit ? undefined : rows.at(-1)?.seq.toString()
      return { products: rows.map(toProduct), next }
    },

    assetsOfProducts(account: string, ids: string[], most: number) {
      const rows = assets.all({ account, ids: JSON.stringify(ids), limit: most + 1 })
      if (rows.length > most) return undefined
      rows.sort((a, b) => b.seq - a.seq)
      return groupBy(rows, toListedAsset(account))
    },

    async newestAssetsOf(account: string, product: string, most: number) {
      const seq = productSeq.get({ account, id: product })?.seq
      if (seq === undefined) return { assets: [], total: 0 }
      const assets: Asset[] = newest.all({ product: seq, limit: most }).map(toListedAsset(account))
      return { assets, total: assets.length < most ? assets.length : await countReady(seq) }
    },
  }
}

function groupBy<Row extends { owner_id: string }, Value>(
  rows: Row[],
  convert: (row: Row) => Value,
): Map<string, Value[]> {
  const groups = Map.groupBy(rows, (row) => row.owner_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(convert)]))
}
