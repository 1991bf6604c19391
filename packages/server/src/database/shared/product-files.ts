import { type EventArrangement, MAX_EVENT_FILES } from '../../domain/event.ts'
import type { FileOrder, FileOrderOutcome } from '../product-file-data.ts'
import { type Dialect, statement } from './dialect.ts'
import { record, run, type SharedWork } from './steps.ts'

type OfProduct = { account: string; product: number }

/** The statements of the order of a product's files. */
export function productFileStatementsOf(dialect: Dialect) {
  const { idsOf, orderedIdsOf, attachment, jsonGroup, id, lockKey, lockIdentities } = dialect
  return {
    readFileOrder: statement<OfProduct>(
      `select asset_id from product_files
       where account_id = :account and product_id = :product order by position, asset_id`,
    ).every(({ asset_id }: { asset_id: string }) => asset_id),
    firstVariant: statement<OfProduct>(
      `select id, name from products where account_id = :account and product_id = :product
       order by variant_id limit 1`,
    ).first((row: { id: string; name: string }) => row),
    lockFileOrders: statement<{ account: string }>(lockIdentities).none(),
    attachedFiles: statement<OfProduct & { ids: string[] }>(
      `select a.id from assets a
       where a.account_id = :account and a.id in (select value from ${idsOf('ids')}) and exists (
         select 1 from asset_products l join products p on ${attachment.ofProduct}
         where ${attachment.ofAsset} and p.account_id = :account and p.product_id = :product)
       order by a.id ${lockKey}`,
    ).every((row: { id: string }) => row.id),
    forgetFileOrder: statement<OfProduct>(
      'delete from product_files where account_id = :account and product_id = :product',
    ).none(),
    // Without assets that do not exist: those of a copy may have been deleted.
    placeFiles: statement<OfProduct & { ids: string[] }>(
      `insert into product_files (account_id, product_id, asset_id, position)
       select ${id('account')}, cast(:product as bigint), a.id, ids.position
       from ${orderedIdsOf('ids')} join assets a on a.id = ids.value and a.account_id = :account
       where true on conflict do nothing`,
    ).none(),
    listFileOrders: statement<{ account: string; after: number; limit: number }>(
      `select product_id, ${jsonGroup('asset_id', 'position')} as ids from product_files
       where account_id = :account and product_id > :after
       group by product_id order by product_id limit :limit`,
    ).every((row: { product_id: number; ids: string[] | string }): FileOrder => {
      const assetIds = typeof row.ids === 'string' ? JSON.parse(row.ids) : row.ids
      return { productId: row.product_id, assetIds }
    }),
  }
}

type Statements = ReturnType<typeof productFileStatementsOf>

/**
 * Replaces the order, and records an event if it changes. Calls for the same account run one after the other, and none while
 * the ID of a product changes, which its files follow.
 */
export function* arrangeFiles(
  statements: Statements,
  { account, product, ids }: OfProduct & { ids: string[] },
): SharedWork<FileOrderOutcome> {
  yield* run(statements.lockFileOrders, { account })
  const attached = new Set(yield* run(statements.attachedFiles, { account, product, ids }))
  const unknown = ids.filter((id) => !attached.has(id))
  if (unknown.length > 0) return { outcome: 'assets_not_attached', unknown }
  const before = yield* run(statements.readFileOrder, { account, product })
  if (before.join() === ids.join()) return { outcome: 'done' }
  yield* run(statements.forgetFileOrder, { account, product })
  yield* run(statements.placeFiles, { account, product, ids })
  const variant = yield* run(statements.firstVariant, { account, product })
  // The product may have been deleted meanwhile.
  if (variant !== undefined) {
    const assetIds = ids.slice(0, MAX_EVENT_FILES)
    const arrangement: EventArrangement = {
      ...variant,
      productId: product,
      assetIds,
      total: ids.length,
    }
    yield* record('product.arranged', arrangement)
  }
  return { outcome: 'done' }
}

/** Copies an order, unless the product has one. */
export function* importFileOrder(
  statements: Statements,
  { account, product, ids }: OfProduct & { ids: string[] },
): SharedWork<void> {
  yield* run(statements.placeFiles, { account, product, ids })
}
