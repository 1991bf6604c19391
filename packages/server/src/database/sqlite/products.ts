import {
  FIRST_PROVISIONAL_ID,
  type GivenProduct,
  type NewProduct,
  type Product,
} from '../../domain/product.ts'
import { MAX_DETACHED_WITH_PRODUCT, type ProductDeletion } from '../bulk-data.ts'
import { type FoldedProduct, foldProduct, lacksTexts } from '../shared/fold-products.ts'
import {
  type Adoption,
  handlesToStore,
  type IdentifiedProducts,
  type IdentityQuestion,
  identifyProducts,
  type KnownProduct,
  type UsedIds,
} from '../shared/product-identity.ts'
import { toProduct } from '../shared/product-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareUpdateAttached } from './attachments.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import type { Steps } from './long-writes.ts'
import { PRODUCT_COLUMNS, type ProductRow, STATEMENTS } from './rows.ts'

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

/** How many assets are detached in one transaction from a product that has too many. */
export const DETACHED = 50

/** Changes of products that may write many rows, all or none: each asset, and each product, is a step. */
export function prepareBulkProducts(connection: Connection) {
  const { prepare } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const put = preparePut(connection)
  const { identify, adopt, storeHandle } = prepareIdentities(connection)
  const { execute } = connection
  const find = prepare<ProductRow>(
    `select ${PRODUCT_COLUMNS} from products where id = :id and account_id = :account`,
  )
  const attached = prepare<{ asset_seq: number }>(
    'select asset_seq from asset_products where product_seq = :seq order by asset_seq limit +:limit',
  )
  const hasMore = prepare<{ asset_seq: number }>(
    `select asset_seq from asset_products where product_seq = :seq
     limit 1 offset ${MAX_DETACHED_WITH_PRODUCT}`,
  )
  const detach = prepare(
    'delete from asset_products where asset_seq = :asset and product_seq = :seq',
  )
  const updateAttached = prepareUpdateAttached(connection)
  const unindexText = prepare('delete from product_texts where rowid = :seq')
  const remove = prepare('delete from products where seq = :seq')

  return {
    /** While the product has too many assets, only detaches some of them. */
    *continueDeletion(writer: Writer, id: string): Steps<ProductDeletion> {
      const { account, actor } = writer
      const row = find.get({ account, id })
      if (row === undefined) return 'not_found'
      const { seq } = row
      const isLast = hasMore.get({ seq }) === undefined
      const limit = isLast ? MAX_DETACHED_WITH_PRODUCT : DETACHED
      for (const { asset_seq: asset } of attached.all({ seq, limit })) {
        detach.run({ asset, seq })
        updateAttached.run({ seq: asset })
        yield
      }
      if (!isLast) {
        execute(STATEMENTS.markProductDeletion, { id, account, actor })
        return 'detached'
      }
      const by = { account, actor: execute(STATEMENTS.actorOfProductDeletion, { id }) ?? actor }
      remove.run({ seq })
      unindexText.run({ seq })
      recordEvent(by, 'product.deleted', toProduct(row))
      return 'deleted'
    },

    *putProducts(writer: PutWriter, folded: FoldedProduct<GivenProduct>[]): Steps<Product[]> {
      const { account, isCopy } = writer
      const given = folded.map((product) => product.given)
      const { products, adoptions } = isCopy
        ? { products: given as NewProduct[], adoptions: [] }
        : yield* identify(account, given)
      const adopted = new Set<string>()
      for (const adoption of adoptions) {
        for (const id of adopt(account, adoption)) adopted.add(id)
        yield
      }
      const stored: Product[] = []
      for (const [index, product] of products.entries()) {
        const texts = folded[index] as FoldedProduct<GivenProduct>
        const { row, isChanged } = put(account, { ...texts, given: product })
        if (!isCopy && (isChanged || adopted.has(row.id))) {
          recordEvent(writer, 'product.updated', toProduct(row))
        }
        adopted.delete(row.id)
        stored.push(toProduct(row))
        yield
      }
      for (const id of adopted) {
        const row = find.get({ account, id })
        if (row !== undefined) recordEvent(writer, 'product.updated', toProduct(row))
      }
      for (const row of handlesToStore(given, stored)) {
        storeHandle(account, row)
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

  return (account: string, folded: FoldedProduct): { row: ProductRow; isChanged: boolean } => {
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
    return { row, isChanged: !isSame(stored, row) }
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

/** Finds out which stored products are meant: see `identifyProducts`. */
function prepareIdentities({ prepare }: Connection) {
  const columns = 'id, product_id as "productId", variant_id as "variantId"'
  const ofProduct = 'p.id, p.product_id as "productId", p.variant_id as "variantId"'
  type Found = NonNullable<KnownProduct['sameIds']>
  const hasProvisional = prepare<{ found: number }>(
    `select 1 as found from products
     where account_id = :account and variant_id >= ${FIRST_PROVISIONAL_ID} limit 1`,
  )
  const byId = prepare<Found>(
    `select ${columns} from products where account_id = :account and id = :id`,
  )
  const byIds = prepare<Found>(
    `select ${columns} from products
     where account_id = :account and product_id = :product_id and variant_id = :variant_id`,
  )
  const bySku = prepare<Found>(
    `select ${columns} from products where account_id = :account and sku = :sku limit 2`,
  )
  const provisionalBySku = prepare<Found>(
    `select ${columns} from products
     where account_id = :account and sku = :sku and variant_id >= ${FIRST_PROVISIONAL_ID} limit 2`,
  )
  const byHandle = prepare<Found>(
    `select ${ofProduct} from product_handles h join products p on p.seq = h.product_seq
     where h.account_id = :account and h.handle = :handle and h.variant = :variant`,
  )
  const productOfHandle = prepare<{ product_id: number }>(
    `select p.product_id from product_handles h join products p on p.seq = h.product_seq
     where h.account_id = :account and h.handle = :handle limit 1`,
  )
  const usesProduct = prepare<{ found: number }>(
    'select 1 as found from products where account_id = :account and product_id = :id limit 1',
  )
  const usesVariant = prepare<{ found: number }>(
    'select 1 as found from products where account_id = :account and variant_id = :id limit 1',
  )
  const changeIds = prepare(
    'update products set product_id = :product_id, variant_id = :variant_id where id = :id',
  )
  const changeVariantLines = prepare(
    `update order_lines set product_id = :product_id, variant_id = :variant_id
     where account_id = :account and product_id = :old_product and variant_id = :old_variant`,
  )
  const changeProduct = prepare<{ id: string }>(
    `update products set product_id = :product_id
     where account_id = :account and product_id = :old_product returning id`,
  )
  const changeLines = prepare(
    `update order_lines set product_id = :product_id
     where account_id = :account and product_id = :old_product`,
  )
  const addCounts = prepare(
    `insert into download_counts (account_id, kind, day, subject, downloads)
     select account_id, kind, day, :subject, downloads from download_counts
     where account_id = :account and kind = 'product' and subject = :old_subject
     on conflict do update set downloads = downloads + excluded.downloads`,
  )
  const removeCounts = prepare(
    `delete from download_counts
     where account_id = :account and kind = 'product' and subject = :old_subject`,
  )
  const forgetHandle = prepare(
    'delete from product_handles where product_seq = (select seq from products where id = :id)',
  )
  // A variant that has got the name of another one takes its place.
  const addHandle = prepare(
    `insert into product_handles (product_seq, account_id, handle, variant)
     select seq, account_id, :handle, :variant from products where id = :id and account_id = :account
     on conflict (account_id, handle, variant) do update set product_seq = excluded.product_seq`,
  )

  function known(account: string, product: GivenProduct): KnownProduct {
    const { productId, variantId, sku = '', handle, variantName = '' } = product
    const isIdentified = productId !== undefined && variantId !== undefined
    const sameIds = isIdentified
      ? byIds.get({ account, product_id: productId, variant_id: variantId })
      : undefined
    if (sameIds !== undefined) return { sameIds, sameSku: [] }
    return {
      sameSku: sku === '' ? [] : (isIdentified ? provisionalBySku : bySku).all({ account, sku }),
      sameHandle:
        handle === undefined ? undefined : byHandle.get({ account, handle, variant: variantName }),
      productOfHandle:
        handle === undefined ? undefined : productOfHandle.get({ account, handle })?.product_id,
    }
  }

  function used(account: string, ids: { productIds: number[]; variantIds: number[] }): UsedIds {
    const isUsed = (find: typeof usesProduct) => (id: number) =>
      find.get({ account, id }) !== undefined
    return {
      productIds: new Set(ids.productIds.filter(isUsed(usesProduct))),
      variantIds: new Set(ids.variantIds.filter(isUsed(usesVariant))),
    }
  }

  function* answer(account: string, question: IdentityQuestion): Steps<KnownProduct[] | UsedIds> {
    if (question.kind === 'used') return used(account, question)
    const found: KnownProduct[] = []
    for (const product of question.products) {
      found.push(known(account, product))
      yield
    }
    return found
  }

  return {
    *identify(account: string, given: GivenProduct[]): Steps<IdentifiedProducts> {
      const isComplete = given.every((product) => product.variantId !== undefined)
      if (isComplete && hasProvisional.get({ account }) === undefined) {
        return { products: given as NewProduct[], adoptions: [] }
      }
      const steps = identifyProducts(given)
      for (let step = steps.next([]); ; ) {
        if (step.done) return step.value
        step = steps.next(yield* answer(account, step.value))
      }
    },

    /** Returns the IDs of the products that have changed. */
    adopt(account: string, { stored, productId, variantId }: Adoption): string[] {
      const { id } = stored
      // An adoption of another variant may have changed it meanwhile.
      const current = byId.get({ account, id })
      if (current === undefined) return []
      const ids = { product_id: productId, variant_id: variantId }
      const old_product = current.productId
      const old = { account, old_product, old_variant: current.variantId }
      changeIds.run({ id, ...ids })
      changeVariantLines.run({ ...old, ...ids })
      if (old_product < FIRST_PROVISIONAL_ID || old_product === productId) return [id]
      // The other variants and the lines for all variants belong to the same product of the shop.
      const others = changeProduct.all({ account, old_product, product_id: productId })
      changeLines.run({ account, old_product, product_id: productId })
      const subjects = { account, old_subject: String(old_product) }
      addCounts.run({ ...subjects, subject: String(productId) })
      removeCounts.run(subjects)
      return [id, ...others.map((other) => other.id)]
    },

    storeHandle(
      account: string,
      { id, handle, variant }: { id: string; handle: string; variant: string },
    ): void {
      const known = byHandle.get({ account, handle, variant })
      if (known?.id === id) return
      forgetHandle.run({ id })
      addHandle.run({ account, id, handle, variant })
    },
  }
}
