import {
  type AttachedProduct,
  type AttachmentEventType,
  MAX_EVENT_PRODUCTS,
} from '../../domain/event.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { AttachmentOutcome } from '../account-data.ts'
import type { Writer } from '../cache-account-data.ts'
import { type AssetsAttachmentOutcome, MAX_BULK_ATTACHMENTS } from '../trash-data.ts'
import { prepareProductSelection } from './product-selection.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { Connection } from './statement.ts'

const VISIBLE = `id in (select value from json_each(:ids)) and account_id = :account
  and replaces is null and status in ('uploading', 'completing', 'ready')`

interface AssetRow {
  id: string
  seq: number
}

interface Change {
  type: AttachmentEventType
  assetIds: string[]
  selection: ProductSelection
  /** Returns the assets. When attaching, it also marks them as attached. */
  mark: { all(parameters: { account: string; ids: string }): AssetRow[] }
}

interface Attachment {
  asset_seq: number
  product_seq: number
}

export function prepareAttachments(connection: Connection) {
  const { prepare, transaction } = connection
  const find = prepareProductSelection(connection)
  const { recordAttachment } = prepareRecordEvents(connection)
  const visible = prepare<AssetRow>(`select id, seq from assets where ${VISIBLE}`)
  const markLinked = prepare<AssetRow>(
    `update assets set linked = 1, link_changes = link_changes + 1 where ${VISIBLE} returning id, seq`,
  )
  const attach = prepare<Attachment>(
    `insert or ignore into asset_products (asset_seq, product_seq)
     select a.value, p.value from json_each(:asset_seqs) a cross join json_each(:product_seqs) p
     returning asset_seq, product_seq`,
  )
  const detach = prepare<Attachment>(
    `delete from asset_products where asset_seq in (select value from json_each(:asset_seqs))
     and product_seq in (select value from json_each(:product_seqs))
     returning asset_seq, product_seq`,
  )
  const products = prepare<AttachedProduct & { seq: number }>(
    `select seq, id, product_id as productId, variant_id as variantId from products
     where seq in (select value from json_each(:seqs)) order by id`,
  )
  const updateLinked = prepare(
    `update assets set link_changes = link_changes + 1,
       linked = exists (select 1 from asset_products where asset_seq = assets.seq)
     where seq in (select value from json_each(:asset_seqs))`,
  )

  /** Records events for each asset whose attachments changed, each with at most `MAX_EVENT_PRODUCTS` products. */
  function record(writer: Writer, type: AttachmentEventType, changed: Attachment[]): void {
    if (changed.length === 0) return
    const seqs = [...new Set(changed.map(({ product_seq }) => product_seq))]
    const byId = products.all({ seqs: JSON.stringify(seqs) })
    const byAsset = Map.groupBy(changed, ({ asset_seq }) => asset_seq)
    for (const [seq, attachments] of byAsset) {
      const own = new Set(attachments.map(({ product_seq }) => product_seq))
      const ofAsset = byId.filter((product) => own.has(product.seq))
      for (let start = 0; start < ofAsset.length; start += MAX_EVENT_PRODUCTS) {
        const slice = ofAsset.slice(start, start + MAX_EVENT_PRODUCTS)
        recordAttachment(writer, type, {
          seq,
          products: slice.map(({ seq, ...product }) => product),
        })
      }
    }
  }

  /** Changes nothing unless all assets and products exist. */
  function changeAttachments(
    writer: Writer,
    { type, assetIds, selection, mark }: Change,
    change: (seqs: { asset_seqs: string; product_seqs: string }) => Attachment[],
  ): AssetsAttachmentOutcome {
    const { account } = writer
    return transaction(() => {
      const products = find(account, selection)
      const count = assetIds.length * products.seqs.length
      const isTooMuch = assetIds.length > 1 && count > MAX_BULK_ATTACHMENTS
      const ids = { account, ids: JSON.stringify(assetIds) }
      // A single asset is marked without reading it first: no row is marked if it is unknown. Several are read first.
      const isMarkedFirst = assetIds.length === 1 && products.isComplete
      const assets = (isMarkedFirst ? mark : visible).all(ids)
      const known = new Set(assets.map(({ id }) => id))
      const missing = assetIds.filter((id) => !known.has(id))
      if (missing.length > 0) return { outcome: 'assets_not_found', unknown: missing }
      if (!products.isComplete) return { outcome: 'products_not_found', unknown: products.unknown }
      if (isTooMuch) return { outcome: 'too_many_attachments', count }
      if (!isMarkedFirst) mark.all(ids)
      const asset_seqs = JSON.stringify(assets.map(({ seq }) => seq))
      const product_seqs = JSON.stringify(products.seqs)
      record(writer, type, change({ asset_seqs, product_seqs }))
      return { outcome: 'done' }
    })
  }

  const attachAssets = (writer: Writer, assetIds: string[], selection: ProductSelection) =>
    changeAttachments(
      writer,
      { type: 'asset.attached', assetIds, selection, mark: markLinked },
      (seqs) => attach.all(seqs),
    )

  const detachAssets = (writer: Writer, assetIds: string[], selection: ProductSelection) =>
    changeAttachments(
      writer,
      { type: 'asset.detached', assetIds, selection, mark: visible },
      ({ asset_seqs, product_seqs }) => {
        const detached = detach.all({ asset_seqs, product_seqs })
        updateLinked.run({ asset_seqs })
        return detached
      },
    )

  return {
    attachAssets,
    detachAssets,
    attachProducts: (
      writer: Writer,
      assetId: string,
      selection: ProductSelection,
    ): AttachmentOutcome => ofOne(attachAssets(writer, [assetId], selection)),
    detachProducts: (
      writer: Writer,
      assetId: string,
      selection: ProductSelection,
    ): AttachmentOutcome => ofOne(detachAssets(writer, [assetId], selection)),
  }
}

function ofOne(result: AssetsAttachmentOutcome): AttachmentOutcome {
  if (result.outcome === 'assets_not_found') return { outcome: 'asset_not_found' }
  if (result.outcome !== 'too_many_attachments') return result
  throw new Error('one asset can be attached to any number of products')
}
