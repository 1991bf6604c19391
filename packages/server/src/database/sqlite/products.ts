import { setTimeout as wait } from 'node:timers/promises'
import type { NewProduct, Product } from '../../domain/product.ts'
import {
  type FoldedProduct,
  foldProduct,
  foldProducts,
  lacksTexts,
} from '../shared/fold-products.ts'
import { toProduct } from '../shared/product-rows.ts'
import { createTimeSlicer } from '../shared/time-slicer.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import {
  BUSY_PAUSE_MS,
  type Connection,
  type ConnectionListeners,
  connect,
  disableBusyTimeout,
  retryWhileBusy,
  wrapConnection,
} from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { PRODUCT_COLUMNS, type ProductRow } from './rows.ts'
import type { RunInGroup } from './unit-of-work.ts'

export function prepareProducts(connection: Connection) {
  const { prepare, transaction } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const attachedAssets = prepare<{ asset_seq: number }>(
    `select l.asset_seq from products p join asset_products l on l.product_seq = p.seq
     where p.id = :id and p.account_id = :account`,
  )
  const remove = prepare<ProductRow>(
    `delete from products where id = :id and account_id = :account returning ${PRODUCT_COLUMNS}`,
  )
  const unindexText = prepare('delete from product_texts where rowid = :seq')
  const updateAttached = prepare(
    `update assets set attachment_changes = attachment_changes + 1,
       attached = exists (select 1 from asset_products where asset_seq = assets.seq)
     where seq in (select value from json_each(:seqs))`,
  )

  return {
    deleteProduct(writer: Writer, id: string): boolean {
      const { account } = writer
      return transaction(() => {
        const attached = attachedAssets.all({ account, id })
        const row = remove.get({ account, id })
        if (row === undefined) return false
        unindexText.run({ seq: row.seq })
        updateAttached.run({ seqs: JSON.stringify(attached.map(({ asset_seq }) => asset_seq)) })
        recordEvent(writer, 'product.deleted', toProduct(row))
        return true
      })
    },
  }
}

/** Up to this many rows, including tags, are written in one turn of the event loop. */
const ROWS_PER_TURN = 100

interface PutOptions extends ConnectionListeners {
  file: string
  connection: Connection
  inGroup: RunInGroup
}

/**
 * Writes all products or none. A large import takes seconds: it runs in time slices, in a transaction on
 * a second connection. Meanwhile other requests read the previous state, and other writes wait without
 * blocking the event loop.
 */
export function openPutProducts(options: PutOptions) {
  const { file, connection, inGroup, ...listeners } = options
  const put = preparePut(connection)
  let second: ReturnType<typeof openSecond> | undefined
  let last: Promise<unknown> = Promise.resolve()

  function openSecond() {
    const database = connect(file)
    disableBusyTimeout(database)
    const wrapped = wrapConnection(database, listeners)
    return { database, put: preparePut(wrapped), announceNotices: wrapped.announceNotices }
  }

  async function putInSlices(writer: PutWriter, products: FoldedProduct[]): Promise<Product[]> {
    second ??= openSecond()
    const { database, put, announceNotices } = second
    await retryWhileBusy(() => database.exec('begin immediate'))
    try {
      const yieldIfDue = createTimeSlicer()
      const stored: Product[] = []
      for (const product of products) {
        stored.push(put(writer, product))
        await yieldIfDue()
      }
      database.exec('commit')
      announceNotices()
      return stored
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }

  /** Runs one import at a time, and pauses after each that succeeds, so that waiting writes can run. */
  function enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work)
    last = result.then(
      () => wait(2 * BUSY_PAUSE_MS),
      () => {},
    )
    return result
  }

  return {
    async putProducts(
      { account, actor }: Writer,
      products: NewProduct[],
      { isCopy } = { isCopy: false },
    ): Promise<Product[]> {
      const writer = { account, actor, isCopy }
      const folded = await foldProducts(products)
      const rows = folded.reduce((sum, { searchTags }) => sum + 1 + searchTags.length, 0)
      return rows <= ROWS_PER_TURN
        ? inGroup(() => folded.map((product) => put(writer, product)), account)
        : enqueue(() => putInSlices(writer, folded))
    },

    close(): void {
      second?.database.close()
    },
  }
}

export type PutProducts = ReturnType<typeof openPutProducts>

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
