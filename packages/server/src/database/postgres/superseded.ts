import { REPLACED_OBJECT_KEPT_MS } from '../claim-times.ts'
import type { Sql } from './connection.ts'
import { isWithheld } from './rows.ts'

/*
 * Versions that are no longer kept, but whose objects downloads may still need. All functions run in the caller's
 * transaction. The queued removals of these objects have an `account_id`. Only the holder of the account's row adds
 * such removals, deletes them, or clears their `account_id`.
 */

/**
 * Removes the older versions of an asset, which may be in the trash, except for the `keep` that were replaced last, and
 * the one that downloads get: the last one that is not withheld, unless the current version is not withheld. Their bytes
 * are available immediately, and their objects are removed after an hour. The caller has locked the asset.
 */
export async function supersedeOldest(
  transaction: Sql,
  assetId: string,
  keep: number,
): Promise<void> {
  await transaction`
    with removed as (
      delete from asset_versions where asset_id = ${assetId} and version in (
        select version from asset_versions where asset_id = ${assetId}
        order by replaced_in desc offset ${keep})
      and version is distinct from (
        select v.version from asset_versions v
        where v.asset_id = ${assetId} and not ${isWithheld(transaction, transaction`v.object_key`)}
          and exists (
            select from assets a where a.id = ${assetId}
              and ${isWithheld(transaction, transaction`coalesce(a.object_key, a.id)`)})
        order by v.replaced_in desc limit 1)
      returning account_id, object_key, storage_id, bytes, trashed
    ), queued as (
      insert into removals (kind, storage_id, key, due_at, account_id, bytes)
      select 'object', coalesce(storage_id, object_key::text), object_key::text,
        now() + ${REPLACED_OBJECT_KEPT_MS} * interval '1 ms', account_id, bytes
      from removed
    )
    update accounts set stored_bytes = stored_bytes - sums.stored,
      trash_bytes = trash_bytes - sums.trash,
      superseded_bytes = superseded_bytes + sums.stored + sums.trash
    from (
      select account_id, coalesce(sum(bytes) filter (where not trashed), 0) as stored,
        coalesce(sum(bytes) filter (where trashed), 0) as trash
      from removed group by account_id) sums
    where accounts.id = sums.account_id`
}

/** Deletes a queued removal, after its object was removed. */
export async function finishSuperseded(transaction: Sql, id: number): Promise<void> {
  await transaction`
    select from accounts where id = (select account_id from removals where id = ${id})
    for no key update`
  await transaction`
    with done as (
      delete from removals where id = ${id} returning key, account_id, bytes
    ), forgotten as (
      delete from checksums using done where object_key = done.key::uuid
    )
    update accounts set superseded_bytes = superseded_bytes - done.bytes
    from done where accounts.id = done.account_id`
}

/** Makes as many of the oldest removals due as are needed to free the bytes. Returns the number of freed bytes. */
export async function dropOldestSuperseded(
  transaction: Sql,
  account: string,
  bytes: number,
): Promise<number> {
  const [row] = await transaction<{ freed: number }[]>`
    with oldest as (
      select id, bytes, sum(bytes) over (order by id) - bytes as before from removals
      where account_id = ${account}
    ), due as (
      update removals set due_at = now(), account_id = null, bytes = null
      from oldest where removals.id = oldest.id and oldest.before < ${bytes}::bigint
      returning oldest.bytes
    ), freed as (
      update accounts set superseded_bytes = superseded_bytes - (select sum(bytes) from due)
      where id = ${account} and exists (select from due)
    )
    select coalesce(sum(bytes), 0)::bigint as freed from due`
  return row?.freed ?? 0
}
