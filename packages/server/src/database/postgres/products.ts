import type { AccountData } from '../account-data.ts'
import type { Writer } from '../cache-account-data.ts'
import { updateLinked } from './attachments.ts'
import { begin, type Sql } from './connection.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { recordEvent } from './record-events.ts'

type Products = Pick<AccountData, 'findProduct' | 'deleteProduct'>

export function accountProducts(sql: Sql, writer: Writer): Products {
  const { account } = writer

  return {
    async findProduct(id) {
      const [row] = await sql<ProductRow[]>`
        select ${sql(PRODUCT_COLUMNS)} from products where id = ${id} and account_id = ${account}`
      return row && toProduct(row)
    },

    deleteProduct: (id) =>
      begin(sql, async (transaction) => {
        const [product] = await transaction<ProductRow[]>`
          select ${sql(PRODUCT_COLUMNS)} from products where id = ${id} and account_id = ${account} for update`
        if (product === undefined) return false
        // Locks the assets in the order of their IDs, and waits for concurrent changes of their attachments.
        const assets = await transaction<{ id: string }[]>`
          select id from assets
          where id in (select asset_id from asset_products where product_id = ${id})
          order by id for no key update`
        await transaction`delete from products where id = ${id}`
        const assetIds = assets.map((asset) => asset.id)
        await updateLinked(transaction, account, assetIds)
        await recordEvent(transaction, writer, 'product.deleted', toProduct(product))
        return true
      }),
  }
}
