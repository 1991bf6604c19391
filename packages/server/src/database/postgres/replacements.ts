import type { AssetStatus, Upload } from '../../domain/asset.ts'
import { queueChecksums } from './checksums.ts'
import { begin, type Sql } from './connection.ts'
import { recordAssetEvents, recordUploadEvents } from './record-events.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import { supersedeOldest } from './superseded.ts'
import { switchVersion } from './switch-version.ts'

interface ReplacedAsset {
  status: AssetStatus
  last_version: number
  filename: string
}

interface FinishedReplacement {
  /** Of the row of the replacement. */
  id: string
  assetId: string
  keep: number
  actor: string
  /** See `queueChecksums`. */
  withheldFor: string | null
}

/**
 * Completes a replacement. Locks the asset before the row of the replacement, like every transaction that changes
 * both. Undefined when the replacement is no longer being completed.
 */
export function finishReplacement(
  sql: Sql,
  { id, assetId, keep, actor, withheldFor }: FinishedReplacement,
): Promise<AssetStatus | undefined> {
  return begin(sql, async (transaction) => {
    const [asset] = await transaction<ReplacedAsset[]>`
      select status, last_version, filename from assets where id = ${assetId} for no key update`
    if (asset?.status !== 'ready')
      return (await cancel(transaction, actor, id)) ? 'cancelled' : undefined
    const version = asset.last_version + 1
    const [row] = await transaction<UploadRow[]>`
      update assets set status = 'deleted', changed_at = now(), became_version = ${version}
      where id = ${id} and status = 'completing' returning ${transaction(UPLOAD_COLUMNS)}`
    if (row === undefined) return undefined
    await queueChecksums(transaction, transaction`assets where id = ${id}`, withheldFor)
    await transaction`
      update accounts set reserved_bytes = reserved_bytes - ${row.bytes},
        stored_bytes = stored_bytes + ${row.bytes}
      where id = ${row.account_id}`
    await switchVersion(transaction, assetId, {
      version,
      object_key: row.id,
      storage_id: row.storage_id,
      chunk_size: row.chunk_size,
      filename: row.keeps_name ? asset.filename : row.filename,
      bytes: row.bytes,
      mime: row.mime,
      created_at: row.created_at,
    })
    await supersedeOldest(transaction, assetId, keep)
    await recordAssetEvents(transaction, actor, 'asset.replaced', [assetId])
    return 'ready'
  })
}

/** Cancels a replacement whose asset is no longer ready. */
async function cancel(transaction: Sql, actor: string, id: string): Promise<boolean> {
  const cancelled = await transaction`
    with ended as (
      update assets set status = 'cancelled', changed_at = now()
      where id = ${id} and status = 'completing'
      returning id, account_id, bytes, storage_id, upload_id
    ), queued as (
      insert into removals (kind, storage_id, key, due_at)
      select 'upload', coalesce(storage_id, upload_id::text), id::text, now() from ended
    )
    update accounts set reserved_bytes = reserved_bytes - ended.bytes
    from ended where accounts.id = ended.account_id`
  if (cancelled.count === 0) return false
  await recordUploadEvents(transaction, actor, 'upload.cancelled', [id])
  return true
}

/**
 * Cancels the unfinished replacements of these assets, in the caller's transaction, which has locked the assets.
 * Those that are being completed are not cancelled here: `finishReplacement` cancels them, because their asset is no
 * longer ready.
 */
export async function cancelReplacements(
  transaction: Sql,
  actor: string,
  assetIds: string[],
): Promise<Upload[]> {
  const rows = await transaction<UploadRow[]>`
    with ended as (
      update assets set status = 'cancelled', changed_at = now()
      where replaces = any(${assetIds}::uuid[]) and status = 'uploading'
      returning ${transaction(UPLOAD_COLUMNS)}
    ), queued as (
      insert into removals (kind, storage_id, key, due_at)
      select 'upload', coalesce(storage_id, upload_id::text), id::text, now() from ended
    ), freed as (
      update accounts set reserved_bytes = reserved_bytes - sums.bytes
      from (select account_id, sum(bytes) as bytes from ended group by account_id) sums
      where accounts.id = sums.account_id
    )
    select * from ended`
  const ids = rows.map(({ id }) => id)
  await recordUploadEvents(transaction, actor, 'upload.cancelled', ids)
  return rows.map(toUpload)
}
