import type { Writer } from '../cache-account-data.ts'
import type { Sql } from './connection.ts'
import { recordAssetEvents, recordStorageLow } from './record-events.ts'

/** The bytes of these assets, with their older versions. */
export async function bytesOf(transaction: Sql, ids: string[]): Promise<number> {
  const [row] = await transaction<{ bytes: number }[]>`
    select ((select coalesce(sum(bytes), 0) from assets where id = any(${ids}::uuid[]) and kind = 'file')
      + (select coalesce(sum(bytes), 0) from asset_versions where asset_id = any(${ids}::uuid[]))
      )::bigint as bytes`
  return row?.bytes ?? 0
}

/** Locks the products of assets in the trash. Products are locked before assets. */
export async function lockTrashedProducts(
  transaction: Sql,
  account: string,
  ids: string[],
): Promise<void> {
  await transaction`
    select from products where account_id = ${account} and id in (
      select product_id from trashed_attachments where asset_id = any(${ids}::uuid[]))
    order by product_id, variant_id for key share`
}

/**
 * Restores assets in the trash, in the caller's transaction, which has locked them. False if the plan has no room
 * for their bytes.
 */
export async function restoreRows(
  transaction: Sql,
  writer: Writer,
  { ids, needed }: { ids: string[]; needed: number },
): Promise<boolean> {
  const { account, actor } = writer
  const [counted] = await transaction<{ trash_until: string | null }[]>`
    update accounts set asset_count = asset_count + ${ids.length},
      stored_bytes = stored_bytes + ${needed}, trash_bytes = trash_bytes - ${needed}
    where id = ${account}
      and (${needed}::bigint = 0 or stored_bytes + reserved_bytes + ${needed} <= plan_storage)
    returning trash_until`
  if (counted === undefined) return false
  if (counted.trash_until !== null) {
    // An unfinished deletion of all assets was requested before: it leaves these.
    await transaction`
      insert into trash_exceptions (account_id, asset_id)
      select ${account}, id from unnest(${ids}::uuid[]) id where id <= ${counted.trash_until}
      on conflict do nothing`
  }
  // The lock leaves out a product that was deleted after this statement started.
  await transaction`
    insert into asset_products (asset_id, product_id)
    select asset_id, product_id from (
      select t.asset_id, p.id as product_id
      from trashed_attachments t join products p on p.id = t.product_id and p.account_id = ${account}
      where t.asset_id = any(${ids}::uuid[]) for key share of p
    ) kept on conflict do nothing`
  await transaction`delete from trashed_attachments where asset_id = any(${ids}::uuid[])`
  await transaction`
    update assets set status = 'ready', changed_at = now(), trashed_at = null,
      linked = exists (select from asset_products where asset_id = assets.id)
    where id = any(${ids}::uuid[])`
  await transaction`
    update asset_versions set trashed = false where asset_id = any(${ids}::uuid[])`
  await recordAssetEvents(transaction, actor, 'asset.restored', ids)
  await recordStorageLow(transaction, writer, needed)
  return true
}
