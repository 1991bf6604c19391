import type { Upload } from '../../domain/asset.ts'
import type { Sql } from './connection.ts'
import { purge } from './purge.ts'
import { recordAssetEvents } from './record-events.ts'
import { cancelReplacements } from './replacements.ts'
import type { Fragment } from './statement.ts'

/** The row of an asset that is ready or in the trash. The rows of replacements are neither. */
export function isDeletable(sql: Sql): Fragment {
  return sql`(status = 'ready' or trashed_at is not null)`
}

/**
 * Excepts assets that just became ready from an unfinished deletion of all assets, which was requested before: a part
 * of the statement that makes them ready. `assets` has their rows. `counted` has the row of the account as the statement
 * leaves it: the statement has locked it, so a deletion is requested either before or after this change.
 */
export function exceptFromDeletion(
  sql: Sql,
  { assets, counted }: { assets: Fragment; counted: Fragment },
): Fragment {
  return sql`
    insert into trash_exceptions (account_id, asset_id)
    select a.account_id, a.id from ${assets} a, ${counted} c where a.id <= c.trash_until
    on conflict do nothing`
}

/**
 * Moves ready assets of one account to the trash, in the caller's transaction, which has locked them. Returns the
 * unfinished replacements that were cancelled.
 */
export async function moveToTrash(
  transaction: Sql,
  actor: string,
  ids: string[],
): Promise<Upload[]> {
  if (ids.length === 0) return []
  // The rows of replacements are locked before the account, which the next statement locks.
  const replacements = await cancelReplacements(transaction, actor, ids)
  await transaction`
    update assets set status = 'deleted', changed_at = now(), linked = false,
      trashed_at = date_trunc('milliseconds', now())
    where id = any(${ids}::uuid[])`
  // A separate statement, so that it sees products that were attached while the caller waited for the assets.
  await transaction`
    with versions as (
      update asset_versions set trashed = true where asset_id = any(${ids}::uuid[]) returning bytes
    ), detached as (
      delete from asset_products where asset_id = any(${ids}::uuid[]) returning asset_id, product_id
    ), kept as (
      insert into trashed_attachments (asset_id, product_id) select asset_id, product_id from detached
    ), sums as (
      select account_id, count(*) as assets, coalesce(sum(bytes) filter (where kind = 'file'), 0)
        + (select coalesce(sum(bytes), 0) from versions) as bytes
      from assets where id = any(${ids}::uuid[]) group by account_id
    )
    update accounts set asset_count = asset_count - sums.assets,
      stored_bytes = stored_bytes - sums.bytes, trash_bytes = trash_bytes + sums.bytes
    from sums where accounts.id = sums.account_id`
  await recordAssetEvents(transaction, actor, 'asset.deleted', ids)
  return replacements
}

export interface DeletableRow {
  id: string
  status: string
}

/** Deletes assets that are ready or in the trash, in the caller's transaction, which has locked them. */
export async function deletePermanently(
  transaction: Sql,
  actor: string,
  rows: DeletableRow[],
): Promise<Upload[]> {
  const ready = rows.filter(({ status }) => status === 'ready').map(({ id }) => id)
  const replacements = await moveToTrash(transaction, actor, ready)
  await purge(
    transaction,
    actor,
    rows.map(({ id }) => id),
  )
  return replacements
}
