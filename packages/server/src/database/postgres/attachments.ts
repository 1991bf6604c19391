import { type AttachmentEventType, MAX_EVENT_PRODUCTS } from '../../domain/event.ts'
import type { ProductSelection } from '../../domain/product.ts'
import {
  groupByOwner,
  outcomeOfOne,
  PRODUCT_COLUMNS,
  type ProductRow,
  type SelectedRow,
  toProduct,
  unknownProducts,
} from '../shared/product-rows.ts'
import { type AssetRow, toAsset } from '../shared/rows.ts'
import type { AccountMethods, BulkMethods, Writer } from '../shared/wire-account-data.ts'
import {
  type AssetsAttachmentOutcome,
  type ChangedAttachments,
  MAX_BULK_ATTACHMENTS,
} from '../trash-data.ts'
import { type Fragment, inTransaction, type Sql } from './connection.ts'
import { assetSnapshot, recordEvents } from './events.ts'
import { assetColumns } from './rows.ts'

interface AttachmentChange {
  type: AttachmentEventType
  /** Whether it changes products that are attached, or those that are not. */
  areAttached: boolean
  /** A statement that returns the changed rows. */
  change: (productIds: string[]) => Fragment
}

export function accountAttachments(
  sql: Sql,
  { account, actor }: Writer,
): AccountMethods['attachments'] & Pick<BulkMethods, 'attachAssets' | 'detachAssets'> {
  /** Locks the products before the assets: see `postgres-database.ts`. */
  async function changeAttachments(
    assetIds: string[],
    selection: ProductSelection,
    { type, areAttached, change, isListed }: AttachmentChange & { isListed: boolean },
  ): Promise<AssetsAttachmentOutcome> {
    return inTransaction(sql, async () => {
      const products = await lockProducts(sql, account, selection)
      // Attaching, detaching and deleting the assets wait for each other.
      const assets = await sql<{ id: string }[]>`
        select id from assets where id = any(${assetIds}::uuid[]) and account_id = ${account}
          and replaces is null and status in ('uploading', 'completing', 'ready')
        order by id for no key update`
      const known = new Set(assets.map(({ id }) => id))
      const missing = assetIds.filter((id) => !known.has(id))
      if (missing.length > 0) return { outcome: 'assets_not_found', unknown: missing }
      if (!products.isComplete) return { outcome: 'products_not_found', unknown: products.unknown }
      const productIds = products.ids
      const all = assetIds.length * productIds.length
      if (assetIds.length > 1 && all > MAX_BULK_ATTACHMENTS) {
        return { outcome: 'too_many_attachments', count: all }
      }
      const affected = isListed ? await listAffected(assetIds, { productIds, areAttached }) : []
      const events = { type, actor, subjects: attachmentSubjects(sql) }
      const changed = change(productIds)
      const count = await recordEvents(sql, { ...events, changed })
      if (count > 0) await updateAttached(sql, account, assetIds)
      return { outcome: 'done', changed: affected }
    })
  }

  /** Nobody else changes the attachments meanwhile, because the assets are locked. */
  async function listAffected(
    assetIds: string[],
    { productIds, areAttached }: { productIds: string[]; areAttached: boolean },
  ): Promise<ChangedAttachments[]> {
    const rows = await sql<ChangedAttachments[]>`
      select asset_id as "assetId", array_agg(product_id order by product_id) as "productIds"
      from (select asset_id, product_id
        from unnest(${assetIds}::uuid[]) asset_id, unnest(${productIds}::uuid[]) product_id) wanted
      where ${areAttached ? sql`` : sql`not`} exists (
        select from asset_products l
        where l.asset_id = wanted.asset_id and l.product_id = wanted.product_id)
      group by asset_id order by asset_id`
    return [...rows]
  }

  const attach = (assetIds: string[], selection: ProductSelection, isListed: boolean) =>
    changeAttachments(assetIds, selection, {
      isListed,
      type: 'asset.attached',
      areAttached: false,
      change: (ids) => sql`
        insert into asset_products (asset_id, product_id)
        select asset_id, product_id
        from unnest(${assetIds}::uuid[]) asset_id, unnest(${ids}::uuid[]) product_id
        on conflict do nothing returning asset_id, product_id`,
    })

  const detach = (assetIds: string[], selection: ProductSelection, isListed: boolean) =>
    changeAttachments(assetIds, selection, {
      isListed,
      type: 'asset.detached',
      areAttached: true,
      change: (ids) => sql`
        delete from asset_products
        where asset_id = any(${assetIds}::uuid[]) and product_id = any(${ids}::uuid[])
        returning asset_id, product_id`,
    })

  return {
    attachAssets: (assetIds, selection) => attach(assetIds, selection, true),
    detachAssets: (assetIds, selection) => detach(assetIds, selection, true),
    attachProducts: async (assetId, selection) =>
      outcomeOfOne(await attach([assetId], selection, false)),
    detachProducts: async (assetId, selection) =>
      outcomeOfOne(await detach([assetId], selection, false)),
  }
}

/** An asset with changed attachments gets one event, or one for every `MAX_EVENT_PRODUCTS` products if it has more. */
export function attachmentSubjects(sql: Sql): Fragment {
  const products = sql`'products', groups.products`
  return sql`
    select s.account_id, row_number() over (order by s.id, slice) as position,
      ${assetSnapshot(sql, products)} as data
    from (
      select asset_id, slice, json_agg(json_build_object(
        'id', p.id, 'productId', p.product_id, 'variantId', p.variant_id) order by p.id) as products
      from (
        select *, (row_number() over (partition by asset_id order by product_id) - 1)
          / ${MAX_EVENT_PRODUCTS} as slice
        from changed
      ) sliced join products p on p.id = sliced.product_id
      group by asset_id, slice
    ) groups join assets s on s.id = groups.asset_id`
}

/**
 * Updates `attached` and the listing of these assets, whose attachments the caller's transaction has changed. One
 * statement for all of them, because there may be thousands.
 */
export async function updateAttached(sql: Sql, account: string, assetIds: string[]): Promise<void> {
  await sql`
    with changed as (
      update assets set attached = not attached
      where id = any(${assetIds}::uuid[])
        and attached <> exists (select from asset_products where asset_id = assets.id)
    )
    select note_all_listed(${account}, array_agg(id), 0) from assets
    where id = any(${assetIds}::uuid[]) and status = 'ready'
    having count(*) > 0`
}

/** Reads attached rows up to a limit. */
export function accountAttachedRows(sql: Sql, account: string): AccountMethods['attachedRows'] {
  const productColumns = sql(PRODUCT_COLUMNS.map((column) => `p.${column}`))
  const columns = assetColumns(sql, 'a')

  return {
    async productsOfAssets(ids, limit) {
      const rows = await sql<(ProductRow & { owner_id: string })[]>`
        select a.id as owner_id, ${productColumns}
        from assets a
        join asset_products l on l.asset_id = a.id
        join products p on p.id = l.product_id
        where a.account_id = ${account} and a.id = any(${ids}::uuid[])
        limit ${limit + 1}`
      if (rows.length > limit) return undefined
      return groupByOwner(inIdOrder(rows), toProduct)
    },

    async productsOfAsset(assetId, { after, limit }) {
      const afterCursor = after === undefined ? sql`` : sql`and l.product_id > ${after}`
      const rows = await sql<ProductRow[]>`
        select ${productColumns}
        from assets a
        join asset_products l on l.asset_id = a.id
        join products p on p.id = l.product_id
        where a.account_id = ${account} and a.id = ${assetId} ${afterCursor}
        order by l.product_id limit ${limit}`
      const next = rows.length < limit ? undefined : rows.at(-1)?.id
      return { products: rows.map(toProduct), next }
    },

    async assetsOfProducts(ids, limit) {
      const rows = await sql<(AssetRow & { owner_id: string })[]>`
        select p.id as owner_id, ${columns}
        from products p
        join asset_products l on l.product_id = p.id
        join assets a on a.id = l.asset_id and a.status = 'ready'
        where p.account_id = ${account} and p.id = any(${ids}::uuid[])
        limit ${limit + 1}`
      if (rows.length > limit) return undefined
      return groupByOwner(inIdOrder(rows).reverse(), toAsset)
    },

    async newestAssetsOf(productId, limit) {
      const attached = sql`
        from products p
        join asset_products l on l.product_id = p.id
        join assets a on a.id = l.asset_id and a.status = 'ready'
        where p.account_id = ${account} and p.id = ${productId}`
      const rows = await sql<AssetRow[]>`
        select ${columns} ${attached} order by l.asset_id desc limit ${limit}`
      const assets = rows.map(toAsset)
      if (assets.length < limit) return { assets, total: assets.length }
      const [counted] = await sql<{ total: number }[]>`select count(*) as total ${attached}`
      return { assets, total: counted?.total ?? 0 }
    },
  }
}

function inIdOrder<Row extends { id: string }>(rows: Iterable<Row>): Row[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The selected products. */
export interface SelectedProducts {
  ids: string[]
  /** The selectors that match no product. */
  unknown: ProductSelection
  /** Whether every selector matches a product. */
  isComplete: boolean
}

/** Locks the selected products, so that they are not deleted before the transaction ends. */
export async function lockProducts(
  sql: Sql,
  account: string,
  selection: ProductSelection,
): Promise<SelectedProducts> {
  const found = await sql<SelectedRow[]>`
    select id, product_id, variant_id, sku from products
    where account_id = ${account} and (
      product_id = any(${selection.productIds}::bigint[])
      or variant_id = any(${selection.variantIds}::bigint[])
      or id = any(${selection.ids}::uuid[])
      or sku = any(${selection.skus}::text[]))
    order by product_id, variant_id for key share`
  return { ids: found.map(({ id }) => id), ...unknownProducts(selection, found) }
}
