import type { AccountData } from '../account-data.ts'
import {
  type FoldedProduct,
  foldProduct,
  foldProducts,
  lacksTexts,
} from '../shared/fold-products.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from '../shared/product-rows.ts'
import type { BulkMethods, Writer } from '../shared/wire-account-data.ts'
import { updateAttached } from './attachments.ts'
import { inTransaction, type Sql } from './connection.ts'
import { recordEvent, recordProductEvents } from './events.ts'

export function accountProducts(sql: Sql, writer: Writer): Pick<BulkMethods, 'deleteProduct'> {
  const { account } = writer

  return {
    deleteProduct: (id) =>
      inTransaction(sql, async () => {
        const [product] = await sql<ProductRow[]>`
          select ${sql(PRODUCT_COLUMNS)} from products where id = ${id} and account_id = ${account} for update`
        if (product === undefined) return false
        // Locks the assets in the order of their IDs, and waits for concurrent changes of their attachments.
        const assets = await sql<{ id: string }[]>`
          select id from assets
          where id in (select asset_id from asset_products where product_id = ${id})
          order by id for no key update`
        await sql`delete from products where id = ${id}`
        const assetIds = assets.map((asset) => asset.id)
        await updateAttached(sql, account, assetIds)
        await recordEvent(sql, writer, 'product.deleted', toProduct(product))
        return true
      }),
  }
}

/** Products per statement. Creating a statement for more would block the event loop for too long. */
const BATCH = 100

type StoredRow = ProductRow & { is_changed: boolean }

export function accountPutProducts(
  sql: Sql,
  { account, actor }: Writer,
): Pick<AccountData, 'putProducts'> {
  function toInsert({
    given,
    texts,
    searchName,
    searchVendor,
    searchSku,
    searchTags,
  }: FoldedProduct) {
    return {
      id: given.id,
      account_id: account,
      product_id: given.productId,
      variant_id: given.variantId,
      name: given.name,
      variant_name: texts.variantName,
      sku: texts.sku,
      vendor: texts.vendor,
      tags: given.tags ?? [],
      search_name: searchName,
      search_vendor: searchVendor,
      search_sku: searchSku,
      search_tags: searchTags,
    }
  }

  /**
   * Takes missing texts from the stored products. Rows that do not exist are inserted, and all are
   * locked: no other transaction can change the texts before they are written.
   */
  async function completeTexts(products: FoldedProduct[]) {
    const rows = await sql<StoredTexts[]>`
      insert into products ${sql(products.map(toInsert))}
      on conflict (account_id, product_id, variant_id) do update set name = products.name
      returning product_id, variant_id, variant_name, sku, vendor`
    const stored = new Map(rows.map((row) => [keyOf(row.product_id, row.variant_id), row]))
    return products.map(({ given, searchTags }) => {
      const row = stored.get(keyOf(given.productId, given.variantId))
      const texts = row && { variantName: row.variant_name, sku: row.sku, vendor: row.vendor }
      return foldProduct(given, texts, searchTags)
    })
  }

  async function putBatch(folded: FoldedProduct[]) {
    const isPartial = folded.some(({ given }) => lacksTexts(given))
    const products = isPartial ? await completeTexts(folded) : folded
    const keepTags = products.flatMap(({ given }) => (given.tags === undefined ? [given.id] : []))
    return sql<StoredRow[]>`
      insert into products ${sql(products.map(toInsert))}
      on conflict (account_id, product_id, variant_id) do update set
        name = excluded.name, variant_name = excluded.variant_name, sku = excluded.sku,
        vendor = excluded.vendor, search_name = excluded.search_name,
        search_vendor = excluded.search_vendor, search_sku = excluded.search_sku,
        tags = case when excluded.id = any (${keepTags}::uuid[])
          then products.tags else excluded.tags end,
        search_tags = case when excluded.id = any (${keepTags}::uuid[])
          then products.search_tags else excluded.search_tags end,
        changed_at = case when (products.name, products.variant_name, products.sku, products.vendor)
              is distinct from (excluded.name, excluded.variant_name, excluded.sku, excluded.vendor)
            or (not excluded.id = any (${keepTags}::uuid[]) and products.tags <> excluded.tags)
          then excluded.changed_at else products.changed_at end
      returning ${sql(PRODUCT_COLUMNS)}, changed_at is not distinct from now() as is_changed`
  }

  return {
    async putProducts(products, { isCopy } = { isCopy: false }) {
      if (products.length === 0) return []
      // Rows are locked in the order in which they are inserted: see `postgres-database.ts`.
      const sorted = products.toSorted(
        (a, b) => a.productId - b.productId || a.variantId - b.variantId,
      )
      const folded = await foldProducts(sorted)
      const rows = await inTransaction(sql, async () => {
        const stored: StoredRow[] = []
        for (let start = 0; start < folded.length; start += BATCH) {
          stored.push(...(await putBatch(folded.slice(start, start + BATCH))))
        }
        // Events are recorded after all products are locked, because the account is locked last.
        const changed = stored.filter(({ is_changed }) => is_changed && !isCopy).map(({ id }) => id)
        await recordProductEvents(sql, actor, 'product.updated', changed)
        return stored
      })
      const byKey = new Map(rows.map((row) => [keyOf(row.product_id, row.variant_id), row]))
      return products.flatMap(({ productId, variantId }) => {
        const row = byKey.get(keyOf(productId, variantId))
        return row ? [toProduct(row)] : []
      })
    },
  }
}

type StoredTexts = Pick<ProductRow, 'product_id' | 'variant_id' | 'variant_name' | 'sku' | 'vendor'>

function keyOf(productId: number, variantId: number): string {
  return `${productId} ${variantId}`
}
