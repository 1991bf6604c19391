import type { ProductQuery } from '../account-data.ts'
import { type Filter, prepareNameFilter } from './name-filter.ts'
import type { Connection } from './statement.ts'

const TAGGED = `seq in (
  select product_seq from product_tags where account_id = :account and tag = :tag)`

const OF_ASSET = `seq in (
  select l.product_seq from assets a join asset_products l on l.asset_seq = a.seq
  where a.account_id = :account and a.id = :of_asset)`

export interface ProductFilter {
  /** `from products where …`, to be continued by `and`. */
  from: string
  parameters: Filter['parameters']
}

export function prepareProductFilter(connection: Connection) {
  const byTexts = prepareNameFilter(connection)
  return (query: Omit<ProductQuery, 'after'>): ProductFilter => {
    const { conditions, parameters, isSelective } = byTexts(query)
    const equal: [string, string, string | number | undefined][] = [
      ['sku', 'sku = :sku', query.sku],
      ['product_id', 'product_id = :product_id', query.productId],
      ['variant_id', 'variant_id = :variant_id', query.variantId],
      ['vendor', 'search_vendor = :vendor', query.vendor],
      ['tag', TAGGED, query.tag],
      ['of_asset', OF_ASSET, query.ofAsset],
    ]
    for (const [parameter, condition, value] of equal) {
      if (value === undefined) continue
      conditions.push(condition)
      parameters[parameter] = value
    }
    // The plus makes SQLite start from the selective filter instead of the account's index.
    const own = `from products where ${isSelective ? '+' : ''}account_id = :account`
    return { from: [own, ...conditions].join(' and '), parameters }
  }
}
