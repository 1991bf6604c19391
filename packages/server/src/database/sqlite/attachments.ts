import type { ProductSelection } from '../../domain/product.ts'
import type { AttachmentOutcome } from '../account-data.ts'
import { type AssetsAttachmentOutcome, MAX_BULK_ATTACHMENTS } from '../trash-data.ts'
import { prepareProductSelection } from './product-selection.ts'
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

export function prepareAttachments(connection: Connection) {
  const { prepare, transaction } = connection
  const find = prepareProductSelection(connection)
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
