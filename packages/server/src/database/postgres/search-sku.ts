import { foldText } from '../../domain/search-text.ts'
import type { Sql } from './connection.ts'

const BATCH = 500

/**
 * Folds the SKUs of products that were stored before SKUs were searchable, one batch per statement. Can be
 * interrupted and repeated.
 */
export async function fillSearchSkus(sql: Sql): Promise<void> {
  for (;;) {
    const rows = await sql<{ id: string; sku: string }[]>`
      select id, sku from products where search_sku is null order by id limit ${BATCH}`
    const ids = rows.map(({ id }) => id)
    const skus = rows.map(({ sku }) => sku)
    // A product that was changed in the meantime keeps its new SKU.
    await sql`
      update products p set search_sku = filled.search_sku
      from unnest(${ids}::uuid[], ${skus}::text[], ${skus.map(foldText)}::text[])
        as filled (id, sku, search_sku)
      where p.id = filled.id and p.sku = filled.sku and p.search_sku is null`
    if (rows.length < BATCH) return
  }
}
