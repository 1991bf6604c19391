import type { Sql } from './connection.ts'
import { recordAssetEvents } from './record-events.ts'

/**
 * Permanently removes assets from the trash, in the caller's transaction, which has locked them. Frees their bytes,
 * removes their versions and attachments, and queues their objects for removal.
 */
export async function purge(transaction: Sql, actor: string, ids: string[]): Promise<void> {
  await transaction`
    with ended as (
      update assets set trashed_at = null, changed_at = now()
      where id = any(${ids}::uuid[]) and trashed_at is not null
      returning id, account_id, coalesce(object_key, id) as key, kind, bytes,
        coalesce(storage_id, upload_id::text) as storage_id
    ), versions as (
      delete from asset_versions v using ended where v.asset_id = ended.id
      returning v.account_id, v.object_key, v.storage_id, v.bytes
    ), forgotten as (
      delete from trashed_attachments t using ended where t.asset_id = ended.id
    ), queued as (
      insert into removals (kind, storage_id, key, due_at)
      select 'object', storage_id, key::text, now() from ended where kind = 'file'
      union all
      select 'object', coalesce(storage_id, object_key::text), object_key::text, now() from versions
    ), locked as (
      select accounts.id, sums.bytes from accounts join (
        select account_id, sum(bytes) as bytes from (
          select account_id, bytes from ended where kind = 'file'
          union all
          select account_id, bytes from versions
        ) used group by account_id
      ) sums on accounts.id = sums.account_id
      order by accounts.id for no key update of accounts
    )
    update accounts set trash_bytes = trash_bytes - locked.bytes
    from locked where accounts.id = locked.id`
  await recordAssetEvents(transaction, actor, 'asset.removed', ids)
}
