import type { Product } from '../../domain/product.ts'
import type { Writer } from '../cache-account-data.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { Connection } from './statement.ts'

export function prepareProducts(connection: Connection) {
  const { prepare, transaction } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const byId = prepare<ProductRow>(
    `select ${PRODUCT_COLUMNS} from products where id = :id and account_id = :account`,
  )
  const attachedAssets = prepare<{ asset_seq: number }>(
    `select l.asset_seq from products p join asset_products l on l.product_seq = p.seq
     where p.id = :id and p.account_id = :account`,
  )
  const remove = prepare<ProductRow>(
    `delete from products where id = :id and account_id = :account returning ${PRODUCT_COLUMNS}`,
  )
  const unindexText = prepare('delete from product_texts where rowid = :seq')
  const updateLinked = prepare(
    `update assets set link_changes = link_changes + 1,
       linked = exists (select 1 from asset_products where asset_seq = assets.seq)
     where seq in (select value from json_each(:seqs))`,
  )

  return {
    findProduct(account: string, id: string): Product | undefined {
      const row = byId.get({ account, id })
      return row && toProduct(row)
    },

    deleteProduct(writer: Writer, id: string): boolean {
      const { account } = writer
      return transaction(() => {
        const attached = attachedAssets.all({ account, id })
        const row = remove.get({ account, id })
        if (row === undefined) return false
        unindexText.run({ seq: row.seq })
        updateLinked.run({ seqs: JSON.stringify(attached.map(({ asset_seq }) => asset_seq)) })
        recordEvent(writer, 'product.deleted', toProduct(row))
        return true
      })
    },
  }
}
