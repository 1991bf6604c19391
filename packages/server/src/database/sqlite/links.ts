import type { ProductSelection } from '../../domain/product.ts'
import type { LinkOutcome } from '../account-data.ts'
import type { Connection } from './statement.ts'

const VISIBLE = `id = :asset and account_id = :account
  and replaces is null and status in ('uploading', 'completing', 'ready')`

export function prepareLinks({ prepare, transaction }: Connection) {
  const resolve = prepare<{
    selector: keyof ProductSelection
    value: string | number
    seq: number
  }>(
    `select 'productIds' as selector, product_id as value, seq from products
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
    `update assets set linked = 1, link_changes = link_changes + 1 where ${VISIBLE} returning seq`,
  )
  const link = prepare(
    `insert or ignore into asset_products (asset_seq, product_seq)
     select :asset_seq, value from json_each(:product_seqs)`,
  )
  const unlink = prepare(
    `delete from asset_products where asset_seq = :asset_seq
     and product_seq in (select value from json_each(:product_seqs))`,
  )
  const updateLinked = prepare(
    `update assets set link_changes = link_changes + 1,
       linked = exists (select 1 from asset_products where asset_seq = :asset_seq)
     where seq = :asset_seq`,
  )

  /** The `seq` numbers of the selected products, and the selectors that match no product. */
  function find(account: string, selection: ProductSelection) {
    const rows = resolve.all({
      account,
      product_ids: JSON.stringify(selection.productIds),
      variant_ids: JSON.stringify(selection.variantIds),
      ids: JSON.stringify(selection.ids),
      skus: JSON.stringify(selection.skus),
    })
    const known = new Set(rows.map((row) => `${row.selector} ${row.value}`))
    const missing = <Id>(selector: keyof ProductSelection, ids: Id[]) =>
      ids.filter((id) => !known.has(`${selector} ${id}`))
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
        // If a product is unknown, nothing may change: then the asset is only read.
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
        updateLinked.run({ asset_seq: row.seq })
        return { outcome: 'done' }
      })
    },
  }
}
