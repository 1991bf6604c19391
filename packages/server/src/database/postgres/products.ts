import type { ProductSelection } from '../../domain/product.ts'
import type { AccountData, LinkOutcome } from '../account-data.ts'
import { type FoldedProduct, foldProducts } from '../fold-products.ts'
import { begin, type Sql } from './connection.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './rows.ts'

type Products = Pick<
  AccountData,
  'putProducts' | 'findProduct' | 'deleteProduct' | 'attachProducts' | 'detachProducts'
>

/** So many are sent in one statement: making it takes a few milliseconds. */
const AT_ONCE = 100

export function ownProducts(sql: Sql, account: string): Products {
  const columns = sql(PRODUCT_COLUMNS)

  function toInsert({ product, searchName, searchVendor, searchTags }: FoldedProduct) {
    return {
      id: product.id,
      account_id: account,
      product_id: product.productId,
      variant_id: product.variantId,
      name: product.name,
      variant_name: product.variantName,
      sku: product.sku,
      vendor: product.vendor,
      tags: product.tags,
      search_name: searchName,
      search_vendor: searchVendor,
      search_tags: searchTags,
    }
  }

  /** Products are locked before the asset, as everywhere: see `postgres-database.ts`. */
  async function changeLinks(
    assetId: string,
    selection: ProductSelection,
    change: (transaction: Sql, productIds: string[]) => Promise<unknown>,
  ): Promise<LinkOutcome> {
    return begin(sql, async (transaction) => {
      const found = await transaction<ProductRow[]>`
        select id, product_id, variant_id, sku from products
        where account_id = ${account} and (
          product_id = any(${selection.productIds}::bigint[])
          or variant_id = any(${selection.variantIds}::bigint[])
          or id = any(${selection.ids}::uuid[])
          or sku = any(${selection.skus}::text[]))
        order by product_id, variant_id for key share`
      // Links and deletion of one asset wait for each other.
      const [asset] = await transaction`
        select id from assets where id = ${assetId} and account_id = ${account}
          and status in ('uploading', 'completing', 'ready') for no key update`
      if (asset === undefined) return { outcome: 'asset_not_found' }
      const unknown = unknownOf(selection, found)
      if (Object.values(unknown).some((ids) => ids.length > 0)) {
        return { outcome: 'products_not_found', unknown }
      }
      await change(
        transaction,
        found.map(({ id }) => id),
      )
      return { outcome: 'done' }
    })
  }

  /** Notes it of the listing for all of them at once: there may be thousands. */
  async function markLinked(transaction: Sql, assetIds: string[]): Promise<void> {
    await transaction`
      with changed as (
        update assets set linked = not linked
        where id = any(${assetIds}::uuid[])
          and linked <> exists (select from asset_products where asset_id = assets.id)
        returning id, status
      )
      select note_all_listed(${account}, array_agg(id), 0) from changed where status = 'ready'
      having count(*) > 0`
  }

  function putSome(transaction: Sql, products: FoldedProduct[]) {
    return transaction<ProductRow[]>`
      insert into products ${transaction(products.map(toInsert))}
      on conflict (account_id, product_id, variant_id) do update set
        name = excluded.name, variant_name = excluded.variant_name, sku = excluded.sku,
        vendor = excluded.vendor, tags = excluded.tags, search_name = excluded.search_name,
        search_vendor = excluded.search_vendor, search_tags = excluded.search_tags
      returning ${columns}`
  }

  return {
    async putProducts(products) {
      if (products.length === 0) return []
      // Rows are locked in the order in which they are inserted.
      const inOrder = products.toSorted(
        (a, b) => a.productId - b.productId || a.variantId - b.variantId,
      )
      const folded = await foldProducts(inOrder)
      const rows = await begin(sql, async (transaction) => {
        const put: ProductRow[] = []
        for (let at = 0; at < folded.length; at += AT_ONCE) {
          put.push(...(await putSome(transaction, folded.slice(at, at + AT_ONCE))))
        }
        return put
      })
      const byKey = new Map(rows.map((row) => [`${row.product_id} ${row.variant_id}`, row]))
      return products.flatMap(({ productId, variantId }) => {
        const row = byKey.get(`${productId} ${variantId}`)
        return row ? [toProduct(row)] : []
      })
    },

    async findProduct(id) {
      const [row] = await sql<ProductRow[]>`
        select ${columns} from products where id = ${id} and account_id = ${account}`
      return row && toProduct(row)
    },

    deleteProduct: (id) =>
      begin(sql, async (transaction) => {
        const [product] = await transaction`
          select id from products where id = ${id} and account_id = ${account} for update`
        if (product === undefined) return false
        // The assets wait in line, in one order: what another call does to their links is done.
        const assets = await transaction<{ id: string }[]>`
          select id from assets
          where id in (select asset_id from asset_products where product_id = ${id})
          order by id for no key update`
        await transaction`delete from products where id = ${id}`
        await markLinked(
          transaction,
          assets.map((asset) => asset.id),
        )
        return true
      }),

    attachProducts: (assetId, selection) =>
      changeLinks(assetId, selection, async (transaction, ids) => {
        await transaction`
          insert into asset_products (asset_id, product_id)
          select ${assetId}, unnest(${ids}::uuid[]) on conflict do nothing`
        await markLinked(transaction, [assetId])
      }),

    detachProducts: (assetId, selection) =>
      changeLinks(assetId, selection, async (transaction, ids) => {
        await transaction`
          delete from asset_products where asset_id = ${assetId} and product_id = any(${ids}::uuid[])`
        await markLinked(transaction, [assetId])
      }),
  }
}

/** What of the selection names no product that was found. */
function unknownOf(selection: ProductSelection, found: Iterable<ProductRow>): ProductSelection {
  const products = [...found]
  const productIds = new Set(products.map((product) => product.product_id))
  const variantIds = new Set(products.map((product) => product.variant_id))
  const ids = new Set(products.map((product) => product.id))
  const skus = new Set(products.map((product) => product.sku))
  return {
    productIds: selection.productIds.filter((id) => !productIds.has(id)),
    variantIds: selection.variantIds.filter((id) => !variantIds.has(id)),
    ids: selection.ids.filter((id) => !ids.has(id)),
    skus: selection.skus.filter((sku) => !skus.has(sku)),
  }
}
