import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Asset } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import { groupByOwner } from '../group-by-owner.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { checksumOf, type ListedRow, PLAIN_LISTED_COLUMNS, toListedAsset } from './rows.ts'
import type { Connection } from './statement.ts'

/** Attachments that are counted in one turn of the event loop: about a millisecond. */
const ATTACHMENTS_PER_TURN = 2000

function qualified(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')
}

const PRODUCTS = qualified('p', PRODUCT_COLUMNS)
const ASSETS = `${qualified('a', PLAIN_LISTED_COLUMNS)}, ${checksumOf('coalesce(a.object_key, a.id)')}`

/**
 * Reads attached rows up to a limit. The rows of several assets or products are sorted in JavaScript: to sort
 * them, SQLite would read all rows, not only up to the limit. The plus in `+:limit` keeps SQLite from planning the
 * statement again at each call.
 */
export function prepareAttachedRows({ prepare }: Connection) {
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
  const counted = prepare<{ attachments: number; ready: number; last: number | null }>(
    `select count(*) as attachments, sum(a.status = 'ready') as ready, max(a.seq) as last
     from (
       select asset_seq from asset_products
       where product_seq = :product and asset_seq > :after
       order by asset_seq limit ${ATTACHMENTS_PER_TURN}) l
     cross join assets a on a.seq = l.asset_seq`,
  )

  async function countReady(product: number): Promise<number> {
    for (let total = 0, after = -1; ; ) {
      const row = counted.get({ product, after })
      total += row?.ready ?? 0
      if (row === undefined || row.last === null || row.attachments < ATTACHMENTS_PER_TURN)
        return total
      after = row.last
      await nextTurn()
    }
  }

  return {
    productsOfAssets(account: string, ids: string[], limit: number) {
      const rows = products.all({ account, ids: JSON.stringify(ids), limit: limit + 1 })
      if (rows.length > limit) return undefined
      rows.sort((a, b) => a.seq - b.seq)
      return groupByOwner(rows, toProduct)
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

    assetsOfProducts(account: string, ids: string[], limit: number) {
      const rows = assets.all({ account, ids: JSON.stringify(ids), limit: limit + 1 })
      if (rows.length > limit) return undefined
      rows.sort((a, b) => b.seq - a.seq)
      return groupByOwner(rows, toListedAsset(account))
    },

    async newestAssetsOf(account: string, product: string, limit: number) {
      const seq = productSeq.get({ account, id: product })?.seq
      if (seq === undefined) return { assets: [], total: 0 }
      const assets: Asset[] = newest.all({ product: seq, limit }).map(toListedAsset(account))
      return { assets, total: assets.length < limit ? assets.length : await countReady(seq) }
    },
  }
}
