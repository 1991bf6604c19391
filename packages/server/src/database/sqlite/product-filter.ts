import type { ProductQuery } from '../account-data.ts'
import { type Filter, prepareNameFilter } from './name-filter.ts'
import { countFew } from './scan.ts'
import type { Connection } from './statement.ts'

/** The index of the unique product and variant IDs. */
export const PRODUCTS_BY_NUMBER = 'sqlite_autoindex_products_2'

/** The filters that an index answers: how it finds the products, and how one product is checked. */
const INDEXED = {
  product_id: equal('product_id', { index: PRODUCTS_BY_NUMBER }),
  variant_id: equal('variant_id', { index: 'products_by_variant' }),
  sku: equal('sku', { index: 'products_by_sku' }),
  vendor: equal('search_vendor', { index: 'products_by_vendor', parameter: 'vendor' }),
  tag: {
    found: `select products.* from product_tags t cross join products on products.seq = t.product_seq
      where t.account_id = :account and t.tag = :tag`,
    condition: `exists (select 1 from product_tags t
      where t.account_id = :account and t.tag = :tag and t.product_seq = products.seq)`,
  },
  of_asset: {
    found: `select products.* from assets a cross join asset_products l on l.asset_seq = a.seq
      cross join products on products.seq = l.product_seq
      where a.account_id = :account and a.id = :of_asset`,
    condition: `exists (select 1 from assets a cross join asset_products l
        on l.asset_seq = a.seq and l.product_seq = products.seq
      where a.account_id = :account and a.id = :of_asset)`,
  },
}

/** Names the index: to avoid sorting, SQLite would read all products of the account in the order of the list. */
function equal(
  column: string,
  { index, parameter = column }: { index: string; parameter?: string },
) {
  const condition = `${column} = :${parameter}`
  const found = `select * from products indexed by ${index}
    where account_id = :account and ${condition}`
  return { found, condition }
}

const OWN = 'select * from products where account_id = :account'

export interface ProductFilter extends Filter {
  /** Queries of products. All matches are among the products of each. */
  candidates: string[]
}

export function prepareProductFilter(connection: Connection) {
  const byTexts = prepareNameFilter(connection)
  return (query: Omit<ProductQuery, 'after'>): ProductFilter => {
    const { conditions, parameters, found } = byTexts(query)
    const values = {
      product_id: query.productId,
      variant_id: query.variantId,
      sku: query.sku,
      of_asset: query.ofAsset,
      tag: query.tag,
      vendor: query.vendor,
    }
    const candidates: string[] = []
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue
      const indexed = INDEXED[name as keyof typeof values]
      candidates.push(indexed.found)
      conditions.push(indexed.condition)
      parameters[name] = value
    }
    if (found !== undefined) return { candidates: [found], conditions, parameters }
    return { candidates: candidates.length > 0 ? candidates : [OWN], conditions, parameters }
  }
}

/** Counts the matches, if few products have to be read, and returns the query that finds them. */
export function countFewProducts(
  connection: Connection,
  { account, filter, count }: { account: string; filter: ProductFilter; count: string },
): { from: string; total: number } | undefined {
  for (const of of filter.candidates) {
    const total = countFew(connection, { account, table: 'products', of, filter, count })
    if (total !== undefined) return { from: `from (${of}) products`, total }
  }
  return undefined
}
