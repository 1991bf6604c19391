import type { NewProduct, Product } from '../../domain/product.ts'
import { type FoldedProduct, foldProduct, lacksTexts } from '../shared/fold-products.ts'
import { toProduct } from '../shared/product-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareUpdateAttached } from './attachments.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import type { Steps } from './long-writes.ts'
import { PRODUCT_COLUMNS, type ProductRow } from './rows.ts'

/** The number of assets of a product, or `limit` if it has more. */
export function prepareCountAttached({ prepare }: Connection) {
  const count = prepare<{ assets: number }>(
    `select count(*) as assets from (
       select 1 from products p cross join asset_products l on l.product_seq = p.seq
       where p.id = :id and p.account_id = :account limit +:limit)`,
  )
  return (account: string, id: string, limit: number): number =>
    count.get({ account, id, limit })?.assets ?? 0
}

/** Changes of products that may write many rows, all or none: each asset, and each product, is a step. */
export function prepareBulkProducts(connection: Connection) {
  const { prepare } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const put = preparePut(connection)
  const find = prepare<ProductRow>(
    `select ${PRODUCT_COLUMNS} from products where id = :id and account_id = :account`,
  )
  const attached = prepare<{ asset_seq: number }>(
    'select asset_seq from asset_products where product_seq = :seq order by asset_seq',
  )
  const detach = prepare(
    'delete from asset_products where asset_seq = :asset and product_seq = :seq',
  )
  const updateAttached = prepareUpdateAttached(connection)
  const unindexText = prepare('delete from product_texts where rowid = :seq')
  const remove = prepare('delete from products where seq = :seq')

  return {
    *deleteProduct(writer: Writer, id: string): Steps<boolean> {
      const row = find.get({ account: writer.account, id })
      if (row === undefined) return false
      const { seq } = row
      for (const { asset_seq: asset } of attached.all({ seq })) {
        detach.run({ asset, seq })
        updateAttached.run({ seq: asset })
        yield
      }
      remove.run({ seq })
      unindexText.run({ seq })
      recordEvent(writer, 'product.deleted', toProduct(row))
      return true
    },

    *putProducts(writer: PutWriter, products: FoldedProduct[]): Steps<Product[]> {
      const stored: Product[] = []
      for (const product of products) {
        stored.push(put(writer, product))
        yield
      }
      return stored
    },
  }
}

/** With `isCopy`, no events are recorded. */
type PutWriter = Writer & { isCopy: boolean }

function preparePut(connection: Connection) {
  const { prepare } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const find = prepare<ProductRow>(
    `select ${PRODUCT_COLUMNS} from products
     where account_id = :account and product_id = :product_id and variant_id = :variant_id`,
  )
  const put = prepare<ProductRow & { search_text: string }>(
    `insert into products (id, account_id, product_id, variant_id, name, variant_name, sku, vendor,
       tags, search_name, search_vendor, search_sku)
     values (:id, :account, :product_id, :variant_id, :name, :variant_name, :sku, :vendor, :tags,
       :search_name, :search_vendor, :search_sku)
     on conflict (account_id, product_id, variant_id) do update set
       name = excluded.name, variant_name = excluded.variant_name, sku = excluded.sku,
       vendor = excluded.vendor, tags = excluded.tags, search_name = excluded.search_name,
       search_vendor = excluded.search_vendor, search_sku = excluded.search_sku
     returning ${PRODUCT_COLUMNS}, search_text`,
  )
  const indexText = prepare(
    'insert or replace into product_texts (rowid, search_text) values (:seq, :search_text)',
  )
  const clearTags = prepare('delete from product_tags where product_seq = :seq')
  const addTags = prepare(
    `insert or ignore into product_tags (product_seq, account_id, tag)
     select :seq, :account, value from json_each(:tags)`,
  )

  return (writer: PutWriter, folded: FoldedProduct): Product => {
    const { account } = writer
    const { given, searchTags } = folded
    const stored = findStored(account, given)
    const { texts, searchName, searchVendor, searchSku } =
      stored && lacksTexts(given) ? foldProduct(given, toProduct(stored), searchTags) : folded
    const row = put.get({
      id: given.id,
      account,
      product_id: given.productId,
      variant_id: given.variantId,
      name: given.name,
      variant_name: texts.variantName,
      sku: texts.sku,
      vendor: texts.vendor,
      tags: given.tags === undefined ? (stored?.tags ?? '[]') : JSON.stringify(given.tags),
      search_name: searchName,
      search_vendor: searchVendor,
      search_sku: searchSku,
    })
    if (row === undefined) throw new Error('the product was not stored')
    indexText.run({ seq: row.seq, search_text: row.search_text })
    if (given.tags !== undefined) {
      clearTags.run({ seq: row.seq })
      addTags.run({ account, seq: row.seq, tags: JSON.stringify(searchTags) })
    }
    const product = toProduct(row)
    if (!writer.isCopy && !isSame(stored, row)) recordEvent(writer, 'product.updated', product)
    return product
  }

  function findStored(account: string, { productId, variantId }: NewProduct) {
    return find.get({ account, product_id: productId, variant_id: variantId })
  }
}

function isSame(stored: ProductRow | undefined, row: ProductRow): boolean {
  return (
    stored !== undefined &&
    stored.name === row.name &&
    stored.variant_name === row.variant_name &&
    stored.sku === row.sku &&
    stored.vendor === row.vendor &&
    stored.tags === row.tags
  )
}
