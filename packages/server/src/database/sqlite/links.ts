import type { Asset } from '../../domain/asset.ts'
import type { Product, ProductSelection } from '../../domain/product.ts'
import type { LinkOutcome } from '../account-data.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset } from './rows.ts'
import type { Connection } from './statement.ts'

const VISIBLE = `id = :asset and account_id = :account
  and status in ('uploading', 'completing', 'ready')`

function qualified(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')
}

export function prepareLinks({ prepare, transaction }: Connection) {
  const resolve = prepare<{ way: keyof ProductSelection; named: string | number; seq: number }>(
    `select 'productIds' as way, product_id as named, seq from products
       where account_id = :account and product_id in (select value from json_each(:product_ids))
     union all
     select 'variantIds', variant_id, seq from products
       where account_id = :account and variant_id in (select value from json_each(:variant_ids))
     union all
     select 'ids', id, seq from products
       where account_id = :account and id in (select value from json_each(:ids))
     union all
     select 'skus', sku, seq from products
       where account_id = :account and sku in (select value from json_each(:skus))`,
  )
  const asset = prepare<{ seq: number }>(`select seq from assets where ${VISIBLE}`)
  const markLinked = prepare<{ seq: number }>(
    `update assets set linked = 1 where ${VISIBLE} returning seq`,
  )
  const link = prepare(
    `insert or ignore into asset_products (asset_seq, product_seq)
     select :asset_seq, value from json_each(:product_seqs)`,
  )
  const unlink = prepare(
    `delete from asset_products where asset_seq = :asset_seq
     and product_seq in (select value from json_each(:product_seqs))`,
  )
  const markUnlinked = prepare(
    `update assets set linked = 0 where seq = :asset_seq
     and not exists (select 1 from asset_products where asset_seq = :asset_seq)`,
  )
  const products = prepare<ProductRow & { asset_id: string }>(
    `select a.id as asset_id, ${qualified('p', PRODUCT_COLUMNS)}
     from json_each(:ids) j
     join assets a on a.id = j.value and a.account_id = :account
     join asset_products l on l.asset_seq = a.seq
     join products p on p.seq = l.product_seq
     order by p.id`,
  )
  const assets = prepare<AssetRow & { owner_id: string }>(
    `select p.id as owner_id, ${qualified('a', ASSET_COLUMNS)}
     from json_each(:ids) j
     join products p on p.id = j.value and p.account_id = :account
     join asset_products l on l.product_seq = p.seq
     join assets a on a.seq = l.asset_seq and a.status = 'ready'
     order by a.id desc`,
  )

  /** The products' numbers, or what of the selection names no product of the account. */
  function find(account: string, selection: ProductSelection) {
    const rows = resolve.all({
      account,
      product_ids: JSON.stringify(selection.productIds),
      variant_ids: JSON.stringify(selection.variantIds),
      ids: JSON.stringify(selection.ids),
      skus: JSON.stringify(selection.skus),
    })
    const named = new Set(rows.map((row) => `${row.way} ${row.named}`))
    const missing = <Id>(way: keyof ProductSelection, ids: Id[]) =>
      ids.filter((id) => !named.has(`${way} ${id}`))
    const unknown: ProductSelection = {
      productIds: missing('productIds', selection.productIds),
      variantIds: missing('variantIds', selection.variantIds),
      ids: missing('ids', selection.ids),
      skus: missing('skus', selection.skus),
    }
    const isComplete = Object.values(unknown).every((ids) => ids.length === 0)
    return { seqs: JSON.stringify(rows.map(({ seq }) => seq)), unknown, isComplete }
  }

  return {
    attachProducts(account: string, assetId: string, selection: ProductSelection): LinkOutcome {
      return transaction(() => {
        const { seqs, unknown, isComplete } = find(account, selection)
        // The row is looked at first where nothing may be changed.
        const row = (isComplete ? markLinked : asset).get({ account, asset: assetId })
        if (row === undefined) return { outcome: 'asset_not_found' }
        if (!isComplete) return { outcome: 'products_not_found', unknown }
        link.run({ asset_seq: row.seq, product_seqs: seqs })
        return { outcome: 'done' }
      })
    },

    detachProducts(account: string, assetId: string, selection: ProductSelection): LinkOutcome {
      return transaction(() => {
        const { seqs, unknown, isComplete } = find(account, selection)
        const row = asset.get({ account, asset: assetId })
        if (row === undefined) return { outcome: 'asset_not_found' }
        if (!isComplete) return { outcome: 'products_not_found', unknown }
        unlink.run({ asset_seq: row.seq, product_seqs: seqs })
        markUnlinked.run({ asset_seq: row.seq })
        return { outcome: 'done' }
      })
    },

    productsOfAssets(account: string, ids: string[]): Map<string, Product[]> {
      const rows = products.all({ account, ids: JSON.stringify(ids) })
      const byAsset = Map.groupBy(rows, (row) => row.asset_id)
      return new Map([...byAsset].map(([id, group]) => [id, group.map(toProduct)]))
    },

    assetsOfProducts(account: string, ids: string[]): Map<string, Asset[]> {
      const rows = assets.all({ account, ids: JSON.stringify(ids) })
      const byProduct = Map.groupBy(rows, (row) => row.owner_id)
      return new Map([...byProduct].map(([id, group]) => [id, group.map(toAsset)]))
    },
  }
}
