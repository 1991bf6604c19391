import type { AccountData } from '../account-data.ts'
import { type FoldedProduct, foldProducts } from '../fold-products.ts'
import { begin, type Sql } from './connection.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'

/** Products per statement. Creating a statement for more would block the event loop for too long. */
const BATCH = 100

export function accountPutProducts(sql: Sql, account: string): Pick<AccountData, 'putProducts'> {
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

  function putBatch(transaction: Sql, products: FoldedProduct[]) {
    return transaction<ProductRow[]>`
      insert into products ${transaction(products.map(toInsert))}
      on conflict (account_id, product_id, variant_id) do update set
        name = excluded.name, variant_name = excluded.variant_name, sku = excluded.sku,
        vendor = excluded.vendor, tags = excluded.tags, search_name = excluded.search_name,
        search_vendor = excluded.search_vendor, search_tags = excluded.search_tags
      returning ${sql(PRODUCT_COLUMNS)}`
  }

  return {
    async putProducts(products) {
      if (products.length === 0) return []
      // Rows are locked in the order in which they are inserted: see `postgres-database.ts`.
      const sorted = products.toSorted(
        (a, b) => a.productId - b.productId || a.variantId - b.variantId,
      )
      const folded = await foldProducts(sorted)
      const rows = await begin(sql, async (transaction) => {
        const stored: ProductRow[] = []
        for (let start = 0; start < folded.length; start += BATCH) {
          stored.push(...(await putBatch(transaction, folded.slice(start, start + BATCH))))
        }
        return stored
      })
      const byKey = new Map(rows.map((row) => [`${row.product_id} ${row.variant_id}`, row]))
      return products.flatMap(({ productId, variantId }) => {
        const row = byKey.get(`${productId} ${variantId}`)
        return row ? [toProduct(row)] : []
      })
    },
  }
}
