import {
  FIRST_PROVISIONAL_ID,
  type GivenProduct,
  isProvisional,
  type NewProduct,
} from '../../domain/product.ts'
import type { AccountData } from '../account-data.ts'
import { MAX_DETACHED_WITH_PRODUCT, type ProductDeletion } from '../bulk-data.ts'
import {
  type FoldedProduct,
  foldProduct,
  foldProducts,
  lacksTexts,
} from '../shared/fold-products.ts'
import {
  type Adoption,
  handlesToStore,
  type IdentifiedProducts,
  type Identity,
  type IdentityQuestion,
  identifyProducts,
  type KnownProduct,
  type UsedIds,
} from '../shared/product-identity.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from '../shared/product-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { updateAttached } from './attachments.ts'
import { execute, inTransaction, type Sql } from './connection.ts'
import { recordEvent, recordProductEvents } from './events.ts'
import { IDENTITY_LOCK, STATEMENTS } from './rows.ts'

/** How many assets are detached in one transaction from a product that has too many. */
const DETACHED = 200

/** Deletes products, each in one or more transactions. */
export function accountProducts(sql: Sql, writer: Writer) {
  const { account, actor } = writer

  /** Locks the assets in the order of their IDs, and waits for concurrent changes of their attachments. */
  async function lockAttached(product: string, limit: number): Promise<string[]> {
    const assets = await sql<{ id: string }[]>`
      select id from assets where id = any(array(
        select asset_id from asset_products where product_id = ${product} order by asset_id limit ${limit}))
      order by id for no key update`
    return assets.map(({ id }) => id)
  }

  async function hasMore(product: string): Promise<boolean> {
    const found = await sql`
      select from asset_products where product_id = ${product}
      limit 1 offset ${MAX_DETACHED_WITH_PRODUCT}`
    return found.count > 0
  }

  return {
    /** While the product has too many assets, only detaches some of them. Nobody attaches others meanwhile. */
    continueDeletion: (id: string): Promise<ProductDeletion> =>
      inTransaction(sql, async () => {
        const [product] = await sql<ProductRow[]>`
          select ${sql(PRODUCT_COLUMNS)} from products where id = ${id} and account_id = ${account} for update`
        if (product === undefined) return 'not_found'
        const isLast = !(await hasMore(id))
        const assets = await lockAttached(id, isLast ? MAX_DETACHED_WITH_PRODUCT : DETACHED)
        const first = await execute(sql, STATEMENTS.actorOfProductDeletion, { id })
        if (isLast) await sql`delete from products where id = ${id}`
        else {
          await sql`
            delete from asset_products where product_id = ${id} and asset_id = any(${assets}::uuid[])`
          await execute(sql, STATEMENTS.markProductDeletion, { id, account, actor })
        }
        await updateAttached(sql, account, assets)
        if (!isLast) return 'detached'
        const by = { account, actor: first ?? actor }
        await recordEvent(sql, by, 'product.deleted', toProduct(product))
        return 'deleted'
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
      const texts = await foldProducts(products)
      return inTransaction(sql, async () => {
        const identified = isCopy
          ? { products: products as NewProduct[], adoptions: [] }
          : await identify(sql, account, products)
        const adopted = new Set<string>()
        const renamed: RenamedProduct[] = []
        await lockAdopted(sql, account, identified)
        for (const adoption of identified.adoptions) {
          const { ids, product } = await adopt(sql, account, adoption)
          for (const id of ids) adopted.add(id)
          if (product !== undefined) renamed.push(product)
        }
        // Rows are locked in the order in which they are inserted: see `postgres-database.ts`.
        const folded = identified.products
          .map((given, index) => ({ ...(texts[index] as FoldedProduct<GivenProduct>), given }))
          .toSorted(
            ({ given: a }, { given: b }) => a.productId - b.productId || a.variantId - b.variantId,
          )
        const stored: StoredRow[] = []
        for (let start = 0; start < folded.length; start += BATCH) {
          stored.push(...(await putBatch(folded.slice(start, start + BATCH))))
        }
        // Events are recorded after all products are locked, because the account is locked last.
        const changed = stored.filter(({ is_changed }) => is_changed && !isCopy).map(({ id }) => id)
        const byKey = new Map(stored.map((row) => [keyOf(row.product_id, row.variant_id), row]))
        const result = identified.products.flatMap(({ productId, variantId }) => {
          const row = byKey.get(keyOf(productId, variantId))
          return row ? [toProduct(row)] : []
        })
        await storeHandles(sql, account, handlesToStore(products, result))
        const events = [...new Set([...changed, ...adopted])]
        await recordProductEvents(sql, actor, 'product.updated', events)
        for (const product of renamed) await moveDownloadCounts(sql, account, product)
        return result
      })
    },
  }
}

type StoredTexts = Pick<ProductRow, 'product_id' | 'variant_id' | 'variant_name' | 'sku' | 'vendor'>

function keyOf(productId: number, variantId: number): string {
  return `${productId} ${variantId}`
}

/**
 * Finds out which stored products are meant: see `identifyProducts`. While one call does so for products without IDs, others
 * that could add the same products wait.
 */
async function identify(
  sql: Sql,
  account: string,
  given: GivenProduct[],
): Promise<IdentifiedProducts> {
  const lock = sql`${IDENTITY_LOCK}, hashtext(${account}::text)`
  const unchanged = { products: given as NewProduct[], adoptions: [] }
  if (given.every(({ variantId }) => variantId !== undefined)) {
    if (!(await hasProvisional(sql, account))) {
      await sql`select pg_advisory_xact_lock_shared(${lock})`
      // A call without IDs may have been committed before this one got the lock.
      if (!(await hasProvisional(sql, account))) return unchanged
    } else await sql`select pg_advisory_xact_lock(${lock})`
  } else await sql`select pg_advisory_xact_lock(${lock})`
  const steps = identifyProducts(given)
  for (let step = steps.next([]); ; ) {
    if (step.done) return step.value
    step = steps.next(await answer(sql, account, step.value))
  }
}

async function hasProvisional(sql: Sql, account: string): Promise<boolean> {
  const rows = await sql`
    select from products where account_id = ${account} and variant_id >= ${FIRST_PROVISIONAL_ID} limit 1`
  return rows.count > 0
}

async function answer(
  sql: Sql,
  account: string,
  question: IdentityQuestion,
): Promise<KnownProduct[] | UsedIds> {
  if (question.kind === 'known') return findKnown(sql, account, question.products)
  const { productIds, variantIds } = question
  const [products, variants] = [
    await sql<{ id: number }[]>`
      select g.id from unnest(${productIds}::bigint[]) g (id) where exists (
        select from products p where p.account_id = ${account} and p.product_id = g.id)`,
    await sql<{ id: number }[]>`
      select g.id from unnest(${variantIds}::bigint[]) g (id) where exists (
        select from products p where p.account_id = ${account} and p.variant_id = g.id)`,
  ]
  return {
    productIds: new Set(products.map(({ id }) => id)),
    variantIds: new Set(variants.map(({ id }) => id)),
  }
}

type FoundRow = { at: number; id: string; product_id: number; variant_id: number }

async function findKnown(
  sql: Sql,
  account: string,
  given: GivenProduct[],
): Promise<KnownProduct[]> {
  const columns = sql`g.at::integer as at, p.id, p.product_id, p.variant_id`
  const inOrder = <Value>(read: (product: GivenProduct) => Value | undefined) =>
    given.map((product) => read(product) ?? null)
  const isIdentified = ({ variantId }: GivenProduct) => variantId !== undefined
  const skusOf = (wanted: boolean) =>
    inOrder((product) => (isIdentified(product) === wanted && product.sku) || undefined)
  const handles = inOrder(({ handle }) => handle)
  const productIds = inOrder(({ productId }) => productId)
  const variantIds = inOrder(({ variantId }) => variantId)
  const same = await sql<FoundRow[]>`
    select ${columns}
    from unnest(${productIds}::bigint[], ${variantIds}::bigint[]) with ordinality g (product, variant, at)
    join products p on p.account_id = ${account} and p.product_id = g.product and p.variant_id = g.variant`
  const bySku = await sql<FoundRow[]>`
    select ${columns} from unnest(${skusOf(false)}::text[]) with ordinality g (sku, at)
    cross join lateral (
      select * from products where account_id = ${account} and sku = g.sku limit 2) p
    union all
    select ${columns} from unnest(${skusOf(true)}::text[]) with ordinality g (sku, at)
    cross join lateral (
      select * from products where account_id = ${account} and sku = g.sku
        and variant_id >= 4503599627370496 limit 2) p`
  const byHandle = await sql<FoundRow[]>`
    select ${columns}
    from unnest(${handles}::text[], ${inOrder(({ variantName = '' }) => variantName)}::text[])
      with ordinality g (handle, variant, at)
    join product_handles h
      on h.account_id = ${account} and h.handle = g.handle and h.variant = g.variant
    join products p on p.id = h.product_id`
  const ofHandle = await sql<FoundRow[]>`
    select ${columns} from unnest(${handles}::text[]) with ordinality g (handle, at)
    cross join lateral (
      select * from product_handles where account_id = ${account} and handle = g.handle limit 1) h
    join products p on p.id = h.product_id`
  const known = given.map((): KnownProduct => ({ sameSku: [] }))
  const each = (rows: FoundRow[], use: (one: KnownProduct, found: Identity) => void) => {
    for (const { at, id, product_id: productId, variant_id: variantId } of rows) {
      const one = known[at - 1]
      if (one !== undefined) use(one, { id, productId, variantId })
    }
  }
  each(same, (one, found) => {
    one.sameIds = found
  })
  each(bySku, (one, found) => one.sameSku.push(found))
  each(byHandle, (one, found) => {
    one.sameHandle = found
  })
  each(ofHandle, (one, { productId }) => {
    one.productOfHandle = productId
  })
  return known
}

/**
 * Locks the products that get other IDs, with their other variants, and those that the call changes as well, in the order of
 * `postgres-database.ts`: their new IDs have another order.
 */
async function lockAdopted(
  sql: Sql,
  account: string,
  { products, adoptions }: IdentifiedProducts,
): Promise<void> {
  if (adoptions.length === 0) return
  const ids = adoptions.map(({ stored }) => stored.id)
  const provisional = adoptions.map(({ stored }) => stored.productId).filter(isProvisional)
  const productIds = products.map(({ productId }) => productId)
  const variantIds = products.map(({ variantId }) => variantId)
  await sql`
    select from products where id in (
      select unnest(${ids}::uuid[])
      union
      select id from products
      where account_id = ${account} and product_id = any(${provisional}::bigint[])
      union
      select p.id from unnest(${productIds}::bigint[], ${variantIds}::bigint[]) g (product, variant)
      join products p
        on p.account_id = ${account} and p.product_id = g.product and p.variant_id = g.variant)
    order by product_id, variant_id for update`
}

/** A product whose provisional ID is replaced. */
interface RenamedProduct {
  before: number
  after: number
}

/** Returns the IDs of the rows that have changed. Call it after `lockAdopted`. */
async function adopt(
  sql: Sql,
  account: string,
  { stored: { id }, productId, variantId }: Adoption,
): Promise<{ ids: string[]; product?: RenamedProduct }> {
  const [current] = await sql<{ product_id: number; variant_id: number }[]>`
    select product_id, variant_id from products where id = ${id} and account_id = ${account}`
  if (current === undefined) return { ids: [] }
  const { product_id: oldProduct, variant_id: oldVariant } = current
  await sql`update products set product_id = ${productId}, variant_id = ${variantId} where id = ${id}`
  await sql`
    update order_lines set product_id = ${productId}, variant_id = ${variantId}
    where account_id = ${account} and product_id = ${oldProduct} and variant_id = ${oldVariant}`
  if (oldProduct < FIRST_PROVISIONAL_ID || oldProduct === productId) return { ids: [id] }
  // The other variants and the lines for all variants belong to the same product of the shop.
  const others = await sql<{ id: string }[]>`
    update products set product_id = ${productId}
    where account_id = ${account} and product_id = ${oldProduct} returning id`
  await sql`
    update order_lines set product_id = ${productId}
    where account_id = ${account} and product_id = ${oldProduct}`
  const ids = [id, ...others.map((other) => other.id)]
  return { ids, product: { before: oldProduct, after: productId } }
}

/** Call it after the account is locked, as by a download, which counts. */
async function moveDownloadCounts(
  sql: Sql,
  account: string,
  { before, after }: RenamedProduct,
): Promise<void> {
  await sql`
    with moved as (
      delete from download_counts
      where account_id = ${account} and kind = 'product' and subject = ${String(before)}
      returning account_id, kind, day, downloads
    )
    insert into download_counts as c (account_id, kind, day, subject, downloads)
    select account_id, kind, day, ${String(after)}, downloads from moved
    on conflict (account_id, kind, day, subject) do update set downloads = c.downloads + excluded.downloads`
}

async function storeHandles(
  sql: Sql,
  account: string,
  rows: { id: string; handle: string; variant: string }[],
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  const handles = rows.map(({ handle }) => handle)
  const variants = rows.map(({ variant }) => variant)
  const given = sql`unnest(${ids}::uuid[], ${handles}::text[], ${variants}::text[]) g (id, handle, variant)`
  await sql`
    delete from product_handles h using ${given}
    where h.product_id = g.id and (h.handle, h.variant) is distinct from (g.handle, g.variant)`
  // A variant that has got the name of another one takes its place.
  await sql`
    insert into product_handles (product_id, account_id, handle, variant)
    select g.id, ${account}, g.handle, g.variant from ${given}
    on conflict (account_id, handle, variant) do update set product_id = excluded.product_id
      where product_handles.product_id <> excluded.product_id`
}
