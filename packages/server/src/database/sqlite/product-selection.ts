import type { ProductSelection } from '../../domain/product.ts'
import type { Connection } from './statement.ts'

/** The selected products. */
export interface SelectedProducts {
  seqs: number[]
  /** The selectors that match no product. */
  unknown: ProductSelection
  /** Whether every selector matches a product. */
  isComplete: boolean
}

export function prepareProductSelection({ prepare }: Connection) {
  const resolve = prepare<{
    selector: keyof ProductSelection
    value: string | number
    seq: number
  }>(
    `select 'productIds' as selector, product_id as value, seq from products
       where account_id = :account and product_id in (select value from json_each(:product_ids))
     union all
     select 'variantIds', variant_id, seq from products
       where account_id = :account and variant_id in (select value from json_each(:variant_ids))
     union all
     select 'ids', id, seq from products
       where account_id = :account and id in (select value from json_each(:ids))
     union all
     select 'skus', sku, seq from products
       where account_id = :account and sku in (select value from json_each(:skus))`,
  )

  return (account: string, selection: ProductSelection): SelectedProducts => {
    const rows = resolve.all({
      account,
      product_ids: JSON.stringify(selection.productIds),
      variant_ids: JSON.stringify(selection.variantIds),
      ids: JSON.stringify(selection.ids),
      skus: JSON.stringify(selection.skus),
    })
    const known = new Set(rows.map((row) => `${row.selector} ${row.value}`))
    const missing = <Id>(selector: keyof ProductSelection, ids: Id[]) =>
      ids.filter((id) => !known.has(`${selector} ${id}`))
    const unknown: ProductSelection = {
      productIds: missing('productIds', selection.productIds),
      variantIds: missing('variantIds', selection.variantIds),
      ids: missing('ids', selection.ids),
      skus: missing('skus', selection.skus),
    }
    const isComplete = Object.values(unknown).every((ids) => ids.length === 0)
    return { seqs: [...new Set(rows.map(({ seq }) => seq))], unknown, isComplete }
  }
}
