import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Asset } from '../../domain/asset.ts'
import {
  type AttachedProduct,
  type AttachmentEventType,
  MAX_EVENT_PRODUCTS,
} from '../../domain/event.ts'
import type { Product, ProductSelection } from '../../domain/product.ts'
import type { AttachmentOutcome } from '../account-data.ts'
import {
  groupByOwner,
  outcomeOfOne,
  type SelectedRow,
  toProduct,
  unknownProducts,
} from '../shared/product-rows.ts'
import { checksumOf } from '../shared/statements.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { type AssetsAttachmentOutcome, MAX_BULK_ATTACHMENTS } from '../trash-data.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import {
  type ListedRow,
  PLAIN_LISTED_COLUMNS,
  PRODUCT_COLUMNS,
  type ProductRow,
  SQLITE,
  toListedAsset,
} from './rows.ts'

const VISIBLE = `id in (select value from json_each(:ids)) and account_id = :account
  and replaces is null and status in ('uploading', 'completing', 'ready')`

interface VisibleAsset {
  id: string
  seq: number
}

interface Change {
  type: AttachmentEventType
  assetIds: string[]
  selection: ProductSelection
  /** Returns the assets. When attaching, it also marks them as attached. */
  mark: { all(parameters: { account: string; ids: string }): VisibleAsset[] }
}

interface Attachment {
  asset_seq: number
  product_seq: number
}

export function prepareAttachments(connection: Connection) {
  const { prepare, transaction } = connection
  const find = prepareProductSelection(connection)
  const { recordAttachment } = prepareRecordEvents(connection)
  const visible = prepare<VisibleAsset>(`select id, seq from assets where ${VISIBLE}`)
  const markAttached = prepare<VisibleAsset>(
    `update assets set attached = 1, attachment_changes = attachment_changes + 1 where ${VISIBLE} returning id, seq`,
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
  const updateAttached = prepare(
    `update assets set attachment_changes = attachment_changes + 1,
       attached = exists (select 1 from asset_products where asset_seq = assets.seq)
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
      { type: 'asset.attached', assetIds, selection, mark: markAttached },
      (seqs) => attach.all(seqs),
    )

  const detachAssets = (writer: Writer, assetIds: string[], selection: ProductSelection) =>
    changeAttachments(
      writer,
      { type: 'asset.detached', assetIds, selection, mark: visible },
      ({ asset_seqs, product_seqs }) => {
        const detached = detach.all({ asset_seqs, product_seqs })
        updateAttached.run({ asset_seqs })
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
    ): AttachmentOutcome => outcomeOfOne(attachAssets(writer, [assetId], selection)),
    detachProducts: (
      writer: Writer,
      assetId: string,
      selection: ProductSelection,
    ): AttachmentOutcome => outcomeOfOne(detachAssets(writer, [assetId], selection)),
  }
}

/** Attachments that are counted in one turn of the event loop: about a millisecond. */
const ATTACHMENTS_PER_TURN = 2000

function qualified(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')
}

const PRODUCTS = qualified('p', PRODUCT_COLUMNS)
const ASSETS = `${qualified('a', PLAIN_LISTED_COLUMNS)}, ${checksumOf(SQLITE, 'coalesce(a.object_key, a.id)')}`

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
    productsOfAssets({ account }: Writer, ids: string[], limit: number) {
      const rows = products.all({ account, ids: JSON.stringify(ids), limit: limit + 1 })
      if (rows.length > limit) return undefined
      rows.sort((a, b) => a.seq - b.seq)
      return groupByOwner(rows, toProduct)
    },

    productsOfAsset(
      { account }: Writer,
      asset: string,
      { after, limit }: { after: string | undefined; limit: number },
    ): { products: Product[]; next: string | undefined } {
      const rows = nextProducts.all({ account, asset, after: Number(after ?? -1), limit })
      const next = rows.length < limit ? undefined : rows.at(-1)?.seq.toString()
      return { products: rows.map(toProduct), next }
    },

    assetsOfProducts({ account }: Writer, ids: string[], limit: number) {
      const rows = assets.all({ account, ids: JSON.stringify(ids), limit: limit + 1 })
      if (rows.length > limit) return undefined
      rows.sort((a, b) => b.seq - a.seq)
      return groupByOwner(rows, toListedAsset(account))
    },

    async newestAssetsOf({ account }: Writer, product: string, limit: number) {
      const seq = productSeq.get({ account, id: product })?.seq
      if (seq === undefined) return { assets: [], total: 0 }
      const assets: Asset[] = newest.all({ product: seq, limit }).map(toListedAsset(account))
      return { assets, total: assets.length < limit ? assets.length : await countReady(seq) }
    },
  }
}

/** The selected products. */
export interface SelectedProducts {
  seqs: number[]
  /** The selectors that match no product. */
  unknown: ProductSelection
  /** Whether every selector matches a product. */
  isComplete: boolean
}

export function prepareProductSelection({ prepare }: Connection) {
  const selected = (condition: string) => `select id, product_id, variant_id, sku, seq from products
    where account_id = :account and ${condition}`
  const resolve = prepare<SelectedRow & { seq: number }>(
    `${selected('product_id in (select value from json_each(:product_ids))')}
     union ${selected('variant_id in (select value from json_each(:variant_ids))')}
     union ${selected('id in (select value from json_each(:ids))')}
     union ${selected('sku in (select value from json_each(:skus))')}`,
  )

  return (account: string, selection: ProductSelection): SelectedProducts => {
    const rows = resolve.all({
      account,
      product_ids: JSON.stringify(selection.productIds),
      variant_ids: JSON.stringify(selection.variantIds),
      ids: JSON.stringify(selection.ids),
      skus: JSON.stringify(selection.skus),
    })
    return { seqs: rows.map(({ seq }) => seq), ...unknownProducts(selection, rows) }
  }
}
