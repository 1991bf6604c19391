import type { UploadEventType } from '../../domain/event.ts'
import { REPLACED_OBJECT_KEPT_MS } from '../shared/claim-times.ts'
import { isWithheld } from '../shared/statements.ts'
import type { Room, Writer } from '../shared/wire-account-data.ts'
import { TRASH_BATCH } from '../trash-data.ts'
import { inTransaction, type Sql } from './connection.ts'
import { recordAssetEvents, recordEvent, uploadSnapshot } from './events.ts'
import { addNotice } from './unit-of-work.ts'

interface Usage {
  free: number
  superseded_bytes: number
  trash_bytes: number
}

/**
 * Locks the account and makes room in its plan, in the caller's transaction. The objects of versions that are no
 * longer kept are removed first, then the oldest assets in the trash. Nothing is removed if the bytes would not fit
 * even then.
 */
export async function makeRoom(sql: Sql, writer: Writer, needed: number): Promise<Room> {
  const { account } = writer
  const [usage] = await sql<Usage[]>`
    select plan_storage - stored_bytes - reserved_bytes as free, superseded_bytes, trash_bytes
    from accounts where id = ${account} for no key update`
  if (usage === undefined || usage.free < needed) return 'none'
  const excess = needed + usage.superseded_bytes + usage.trash_bytes - usage.free
  if (excess <= 0) return 'made'
  const freed = await dropOldestSuperseded(sql, account, excess)
  const missing = excess - freed
  // Assets are locked before accounts. This transaction has locked the account, so it must not wait for an asset.
  if (missing <= 0 || (await purgeOldest(sql, writer, missing)) >= missing) return 'made'
  // The remaining trash is beyond this batch, or locked by transactions that remove or restore it.
  const [other] = await sql`
    select from assets where account_id = ${account} and trashed_at is not null and kind = 'file' limit 1`
  return other === undefined ? 'none' : 'partial'
}

/**
 * Ends an unfinished upload by the statement `end`, and, in the same transaction, releases its reserved bytes, its
 * attachments, and its data in the storage, and records the event. False when the statement changed nothing.
 */
export function release(
  sql: Sql,
  { id, account, actor, type }: Writer & { id: string; type: UploadEventType },
  end: () => Promise<{ count: number }>,
): Promise<boolean> {
  return inTransaction(sql, async () => {
    if ((await end()).count === 0) return false
    // A separate statement, so that it sees products that were attached while `end` waited for the row.
    await sql`
      with ended as (
        select * from assets where id = ${id}
      ), freed as (
        update accounts set reserved_bytes = reserved_bytes - ended.bytes, last_event = last_event + 1
        from ended where accounts.id = ended.account_id returning last_event
      ), recorded as (
        insert into events (account_id, id, type, created_at, actor, data)
        select s.account_id, last_event, ${type}, clock_timestamp(), ${actor}::text::json,
          ${uploadSnapshot(sql)}
        from ended s, freed
      ), detached as (
        delete from asset_products using ended where asset_id = ended.id
      )
      insert into removals (kind, storage_id, key, due_at)
      select 'upload', coalesce(storage_id, upload_id::text), id::text, now() from ended`
    addNotice(sql, account)
    return true
  })
}

/**
 * Removes the oldest files in the trash until `bytes` are freed, at most `TRASH_BATCH`, in the caller's transaction.
 * Skips those that other transactions have locked. Returns the bytes that it freed.
 */
export async function purgeOldest(
  sql: Sql,
  { account, actor }: Writer,
  bytes: number,
): Promise<number> {
  const oldest = await sql<{ id: string; bytes: number }[]>`
    select id, (bytes + coalesce(
      (select sum(v.bytes) from asset_versions v where v.asset_id = assets.id), 0))::bigint as bytes
    from assets
    where account_id = ${account} and trashed_at is not null and kind = 'file'
    order by trashed_at, id limit ${TRASH_BATCH} for no key update skip locked`
  let freed = 0
  const ids: string[] = []
  for (const asset of oldest) {
    if (freed >= bytes) break
    ids.push(asset.id)
    freed += asset.bytes
  }
  await purge(sql, actor, ids)
  return freed
}

/**
 * Permanently removes assets from the trash, in the caller's transaction, which has locked them. Frees their bytes,
 * removes their versions and attachments, and queues their objects for removal.
 */
export async function purge(sql: Sql, actor: string, ids: string[]): Promise<void> {
  await sql`
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
  await recordAssetEvents(sql, actor, 'asset.removed', ids)
}

/*
 * Versions that are no longer kept, but whose objects downloads may still need. All functions run in the caller's
 * transaction. The queued removals of these objects have an `account_id`. Only the holder of the account's row adds
 * such removals, deletes them, or clears their `account_id`.
 */

/**
 * Removes the older versions of an asset, which may be in the trash, except for the `keep` that were replaced last, and
 * the one that downloads get: the last one that is not withheld, unless the current version is not withheld. Their bytes
 * are available immediately, and their objects are removed after an hour. Records an event for each, the lowest number
 * first. The caller has locked the asset.
 */
export async function supersedeOldest(
  sql: Sql,
  actor: string,
  { assetId, keep }: { assetId: string; keep: number },
): Promise<void> {
  const rows = await sql<SupersededVersion[]>`
    with removed as (
      delete from asset_versions where asset_id = ${assetId} and version in (
        select version from asset_versions where asset_id = ${assetId}
        order by replaced_in desc offset ${keep})
      and version is distinct from (
        select v.version from asset_versions v
        where v.asset_id = ${assetId} and not ${sql.unsafe(isWithheld('v.object_key'))}
          and exists (
            select from assets a where a.id = ${assetId}
              and ${sql.unsafe(isWithheld('coalesce(a.object_key, a.id)'))})
        order by v.replaced_in desc limit 1)
      returning account_id, version, object_key, storage_id, filename, bytes, mime, created_at, trashed
    ), queued as (
      insert into removals (kind, storage_id, key, due_at, account_id, bytes)
      select 'object', coalesce(storage_id, object_key::text), object_key::text,
        now() + ${REPLACED_OBJECT_KEPT_MS} * interval '1 ms', account_id, bytes
      from removed
    ), counted as (
      update accounts set stored_bytes = stored_bytes - sums.stored,
        trash_bytes = trash_bytes - sums.trash,
        superseded_bytes = superseded_bytes + sums.stored + sums.trash
      from (
        select account_id, coalesce(sum(bytes) filter (where not trashed), 0) as stored,
          coalesce(sum(bytes) filter (where trashed), 0) as trash
        from removed group by account_id) sums
      where accounts.id = sums.account_id
    )
    select account_id, version, filename, bytes, mime, created_at from removed order by version`
  for (const { account_id: account, version, filename, bytes, mime, created_at } of rows) {
    const deleted = { assetId, version, filename, bytes, mime, createdAt: created_at }
    await recordEvent(sql, { account, actor }, 'version.deleted', deleted)
  }
}

interface SupersededVersion {
  account_id: string
  version: number
  filename: string
  bytes: number
  mime: string
  created_at: Date
}

/** Deletes a queued removal, after its object was removed. */
export async function finishSuperseded(sql: Sql, id: number): Promise<void> {
  await sql`
    select from accounts where id = (select account_id from removals where id = ${id})
    for no key update`
  await sql`
    with done as (
      delete from removals where id = ${id} returning key, account_id, bytes
    ), forgotten as (
      delete from checksums using done where object_key = done.key::uuid
    )
    update accounts set superseded_bytes = superseded_bytes - done.bytes
    from done where accounts.id = done.account_id`
}

/** Makes as many of the oldest removals due as are needed to free the bytes. Returns the number of freed bytes. */
async function dropOldestSuperseded(sql: Sql, account: string, bytes: number): Promise<number> {
  const [row] = await sql<{ freed: number }[]>`
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
