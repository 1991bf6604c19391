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
import {
  type AssetsAttachmentOutcome,
  type ChangedAttachments,
  MAX_BULK_ATTACHMENTS,
} from '../trash-data.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { runSteps, type Steps } from './long-writes.ts'
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
  /** Changes the attachments of one asset, and returns the products that were attached or detached. */
  apply(seqs: { seq: number; product_seqs: string }): { product_seq: number }[]
}

type Attached = AttachedProduct & { seq: number }

export function prepareAttachments(connection: Connection) {
  const { attachAssets, detachAssets } = prepareBulkAttachments(connection)
  const { transaction } = connection
  const ofOne =
    (change: typeof attachAssets) =>
    (writer: Writer, assetId: string, selection: ProductSelection): AttachmentOutcome =>
      outcomeOfOne(transaction(() => runSteps(change(writer, [assetId], selection))))
  return { attachProducts: ofOne(attachAssets), detachProducts: ofOne(detachAssets) }
}

/** Changes of the attachments of several assets, all or none. There may be many, so each asset is a step. */
export function prepareBulkAttachments(connection: Connection) {
  const { prepare } = connection
  const find = prepareProductSelection(connection)
  const { recordAttachment } = prepareRecordEvents(connection)
  const visible = prepare<VisibleAsset>(`select id, seq from assets where ${VISIBLE}`)
  const attach = prepare<{ product_seq: number }>(
    `insert or ignore into asset_products (asset_seq, product_seq)
     select :seq, value from json_each(:product_seqs) returning product_seq`,
  )
  const markAttached = prepare(
    'update assets set attached = 1, attachment_changes = attachment_changes + 1 where seq = :seq',
  )
  const detach = prepare<{ product_seq: number }>(
    `delete from asset_products
     where asset_seq = :seq and product_seq in (select value from json_each(:product_seqs))
     returning product_seq`,
  )
  const updateAttached = prepareUpdateAttached(connection)
  const products = prepare<Attached>(
    `select seq, id, product_id as productId, variant_id as variantId from products
     where seq in (select value from json_each(:seqs)) order by id`,
  )

  /** Records events for an asset whose attachments changed, each with at most `MAX_EVENT_PRODUCTS` products. */
  function record(
    writer: Writer,
    type: AttachmentEventType,
    { seq, changed }: { seq: number; changed: Attached[] },
  ): void {
    for (let start = 0; start < changed.length; start += MAX_EVENT_PRODUCTS) {
      const slice = changed.slice(start, start + MAX_EVENT_PRODUCTS)
      recordAttachment(writer, type, { seq, products: slice.map(({ seq, ...product }) => product) })
    }
  }

  /** Changes nothing unless all assets and products exist. */
  function* changeAttachments(
    writer: Writer,
    { assetIds, selection }: { assetIds: string[]; selection: ProductSelection },
    { type, apply }: Change,
  ): Steps<AssetsAttachmentOutcome> {
    const { account } = writer
    const selected = find(account, selection)
    const count = assetIds.length * selected.seqs.length
    const assets = visible.all({ account, ids: JSON.stringify(assetIds) })
    const known = new Set(assets.map(({ id }) => id))
    const missing = assetIds.filter((id) => !known.has(id))
    if (missing.length > 0) return { outcome: 'assets_not_found', unknown: missing }
    if (!selected.isComplete) return { outcome: 'products_not_found', unknown: selected.unknown }
    if (assetIds.length > 1 && count > MAX_BULK_ATTACHMENTS) {
      return { outcome: 'too_many_attachments', count }
    }
    const product_seqs = JSON.stringify(selected.seqs)
    let byId: Attached[] | undefined
    const allChanged: ChangedAttachments[] = []
    for (const { id: assetId, seq } of assets) {
      const changed = new Set(apply({ seq, product_seqs }).map(({ product_seq }) => product_seq))
      if (changed.size > 0) {
        byId ??= products.all({ seqs: product_seqs })
        const affected = byId.filter((product) => changed.has(product.seq))
        record(writer, type, { seq, changed: affected })
        allChanged.push({ assetId, productIds: affected.map(({ id }) => id) })
      }
      yield
    }
    return { outcome: 'done', changed: allChanged }
  }

  return {
    attachAssets: (writer: Writer, assetIds: string[], selection: ProductSelection) =>
      changeAttachments(
        writer,
        { assetIds, selection },
        {
          type: 'asset.attached',
          apply({ seq, product_seqs }) {
            markAttached.run({ seq })
            return attach.all({ seq, product_seqs })
          },
        },
      ),

    detachAssets: (writer: Writer, assetIds: string[], selection: ProductSelection) =>
      changeAttachments(
        writer,
        { assetIds, selection },
        {
          type: 'asset.detached',
          apply({ seq, product_seqs }) {
            const detached = detach.all({ seq, product_seqs })
            updateAttached.run({ seq })
            return detached
          },
        },
      ),
  }
}

/** After the attachments of the asset `seq` changed. */
export function prepareUpdateAttached({ prepare }: Connection) {
  return prepare(
    `update assets set attachment_changes = attachment_changes + 1,
       attached = exists (select 1 from asset_products where asset_seq = assets.seq)
     where seq = :seq`,
  )
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
  ids: string[]
  seqs: number[]
  /** The selectors that match no product. */
  unknown: ProductSelection
  /** Whether every selector matches a product. */
  isComplete: boolean
}

export function prepareProductSelection({ prepare }: Connection) {
  // The cross join makes SQLite look up each selector by an index, instead of reading all products of the account.
  const selected = (column: string, values: string) =>
    `select p.id, p.product_id, p.variant_id, p.sku, p.seq
     from json_each(:${values}) selector
     cross join products p on p.account_id = :account and p.${column} = selector.value`
  const resolve = prepare<SelectedRow & { seq: number }>(
    `${selected('product_id', 'product_ids')}
     union ${selected('variant_id', 'variant_ids')}
     union ${selected('id', 'ids')}
     union ${selected('sku', 'skus')}`,
  )

  return (account: string, selection: ProductSelection): SelectedProducts => {
    const rows = resolve.all({
      account,
      product_ids: JSON.stringify(selection.productIds),
      variant_ids: JSON.stringify(selection.variantIds),
      ids: JSON.stringify(selection.ids),
      skus: JSON.stringify(selection.skus),
    })
    const ids = rows.map(({ id }) => id)
    return { ids, seqs: rows.map(({ seq }) => seq), ...unknownProducts(selection, rows) }
  }
}
