import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { foldText } from '../../domain/search-text.ts'
import { wrapConnection } from './statement.ts'

const BATCH = 500

/**
 * Folds the SKUs of products that were stored before SKUs were searchable, one batch per transaction. Can be
 * interrupted and repeated.
 */
export async function fillSearchSkus(database: DatabaseSync): Promise<void> {
  const { prepare, transaction } = wrapConnection(database)
  const next = prepare<{ seq: number; sku: string }>(
    `select seq, sku from products where search_sku is null order by seq limit ${BATCH}`,
  )
  const fold = prepare<{ search_text: string }>(
    'update products set search_sku = :search_sku where seq = :seq returning search_text',
  )
  const index = prepare(
    'insert or replace into product_texts (rowid, search_text) values (:seq, :search_text)',
  )
  const fillSome = () =>
    transaction(() => {
      const rows = next.all()
      for (const { seq, sku } of rows) {
        const row = fold.get({ seq, search_sku: foldText(sku) })
        index.run({ seq, search_text: row?.search_text ?? null })
      }
      return rows.length
    })
  while (fillSome() === BATCH) await nextTurn()
}
