import type { AssetQuery, AssetSort } from '../account-data.ts'

export interface AssetFilter {
  /** Conditions, to be joined by `and`. */
  conditions: string[]
  parameters: Record<string, string | number>
}

/** Each has an index behind it that ends with the id, so that equal ones keep an order. */
const SORTS: Record<AssetSort['by'], string[]> = {
  created_at: ['id'],
  filename: ['search_name', 'id'],
  bytes: ['bytes', 'id'],
}

export function orderOf({ by, descending }: AssetSort): string {
  return SORTS[by].map((column) => `${column} ${descending ? 'desc' : 'asc'}`).join(', ')
}

/** Assets that are linked to a product which meets the condition. */
function linkedTo(condition: string): string {
  return `seq in (
    select l.asset_seq from products p join asset_products l on l.product_seq = p.seq
    where p.account_id = :account and ${condition})`
}

export function filterOf(query: AssetQuery): AssetFilter {
  const conditions: string[] = []
  const parameters: AssetFilter['parameters'] = {}
  const add = (name: string, value: string | number | undefined, condition: string) => {
    if (value === undefined) return
    conditions.push(condition)
    parameters[name] = value
  }
  add('name', query.name, 'instr(search_name, :name) > 0')
  add('kind', query.kind, 'kind = :kind')
  add('linked', query.linked === undefined ? undefined : Number(query.linked), 'linked = :linked')
  add('sku', query.sku, linkedTo('p.sku = :sku'))
  add('product_id', query.productId, linkedTo('p.product_id = :product_id'))
  add('of_product', query.ofProduct, linkedTo('p.id = :of_product'))
  return { conditions, parameters }
}

/** The rows behind the query's cursor, in the order of its sort; all rows where it has none. */
export function behindCursor({ sort, after }: AssetQuery): AssetFilter {
  if (after === undefined) return { conditions: [], parameters: {} }
  const sign = sort.descending ? '<' : '>'
  if (after.value === undefined) {
    return { conditions: [`id ${sign} :after_id`], parameters: { after_id: after.id } }
  }
  return {
    conditions: [`(${SORTS[sort.by].join(', ')}) ${sign} (:after_value, :after_id)`],
    parameters: { after_value: after.value, after_id: after.id },
  }
}

export function isOfProducts({ sku, productId, ofProduct }: AssetQuery): boolean {
  return [sku, productId, ofProduct].some((filter) => filter !== undefined)
}
