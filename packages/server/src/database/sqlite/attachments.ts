import type { ProductSelection } from '../../domain/product.ts'
import type { AttachmentOutcome } from '../account-data.ts'
import { type AssetsAttachmentOutcome, MAX_BULK_ATTACHMENTS } from '../trash-data.ts'
import type { Connection } from './statement.ts'

const VISIBLE = `id in (select value from json_each(:ids)) and account_id = :account
  and replaces is null and status in ('uploading', 'completing', 'ready')`

interface AssetRow {
  id: string
  seq: number
}

interface Change {
  assetIds: string[]
  selection: ProductSelection
  /** Marks the assets as changed, and returns them. */
  mark: { all(parameters: { account: string; ids: string }): AssetRow[] }
}

export function prepareAttachments({ prepare, transaction }: Connection) {
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
  const visible = prepare<AssetRow>(`select id, seq from assets where ${VISIBLE}`)
  const markLinked = prepare<AssetRow>(
    `update assets set linked = 1, link_changes = link_changes + 1 where ${VISIBLE} returning id, seq`,
  )
  const link = prepare(
    `insert or ignore into asset_products (asset_seq, product_seq)
     select a.value, p.value from json_each(:asset_seqs) a cross join json_each(:product_seqs) p`,
  )
  const unlink = prepare(
    `delete from asset_products where asset_seq in (select value from json_each(:asset_seqs))
     and product_seq in (select value from json_each(:product_seqs))`,
  )
  const updateLinked = prepare(
    `update assets set link_changes = link_changes + 1,
       linked = exists (select 1 from asset_products where asset_seq = assets.seq)
     where seq in (select value from json_each(:asset_seqs))`,
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
    return { seqs: [...new Set(rows.map(({ seq }) => seq))], unknown, isComplete }
  }

  /** Changes nothing unless all assets and products exist. */
  function changeAttachments(
    account: string,
    { assetIds, selection, mark }: Change,
    change: (seqs: { asset_seqs: string; product_seqs: string }) => void,
  ): AssetsAttachmentOutcome {
    return transaction(() => {
      const products = find(account, selection)
      const count = assetIds.length * products.seqs.length
      const isTooMuch = assetIds.length > 1 && count > MAX_BULK_ATTACHMENTS
      const ids = { account, ids: JSON.stringify(assetIds) }
      // If one asset is marked, it exists. Several are read first, because some may be unknown.
      const isMarkedFirst = assetIds.length === 1 && products.isComplete
      const assets = (isMarkedFirst ? mark : visible).all(ids)
      const known = new Set(assets.map(({ id }) => id))
      const missing = assetIds.filter((id) => !known.has(id))
      if (missing.length > 0) return { outcome: 'assets_not_found', unknown: missing }
      if (!products.isComplete) return { outcome: 'products_not_found', unknown: products.unknown }
      if (isTooMuch) return { outcome: 'too_many_attachments', count }
      if (!isMarkedFirst) mark.all(ids)
      const asset_seqs = JSON.stringify(assets.map(({ seq }) => seq))
      change({ asset_seqs, product_seqs: JSON.stringify(products.seqs) })
      return { outcome: 'done' }
    })
  }

  const attachAssets = (account: string, assetIds: string[], selection: ProductSelection) =>
    changeAttachments(account, { assetIds, selection, mark: markLinked }, (seqs) => link.run(seqs))

  const detachAssets = (account: string, assetIds: string[], selection: ProductSelection) =>
    changeAttachments(
      account,
      { assetIds, selection, mark: visible },
      ({ asset_seqs, product_seqs }) => {
        unlink.run({ asset_seqs, product_seqs })
        updateLinked.run({ asset_seqs })
      },
    )

  return {
    attachAssets,
    detachAssets,
    attachProducts: (
      account: string,
      assetId: string,
      selection: ProductSelection,
    ): AttachmentOutcome => ofOne(attachAssets(account, [assetId], selection)),
    detachProducts: (
      account: string,
      assetId: string,
      selection: ProductSelection,
    ): AttachmentOutcome => ofOne(detachAssets(account, [assetId], selection)),
  }
}

function ofOne(result: AssetsAttachmentOutcome): AttachmentOutcome {
  if (result.outcome === 'assets_not_found') return { outcome: 'asset_not_found' }
  if (result.outcome !== 'too_many_attachments') return result
  throw new Error('one asset can be attached to any number of products')
}
