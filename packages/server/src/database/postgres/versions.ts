import type { AssetStatus, Upload } from '../../domain/asset.ts'
import { previousValues } from '../../domain/event.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { FirstRead } from '../account-data.ts'
import {
  type AssetRow,
  toAsset,
  toUpload,
  UPLOAD_COLUMNS,
  type UploadRow,
  type VersionContent,
} from '../shared/rows.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import { queueChecksums, recordFirstRead } from './checksums.ts'
import { inTransaction, type Sql } from './connection.ts'
import { recordChange, recordEvent, recordUploadEvents } from './events.ts'
import { supersedeOldest } from './removals.ts'
import { assetColumns } from './rows.ts'

export function accountVersions(sql: Sql, writer: Writer): AccountMethods['versions'] {
  const { account, actor } = writer

  /** A ready file. The rows of replacements are never ready. */
  const readyFile = (id: string) =>
    sql`id = ${id} and account_id = ${account} and status = 'ready' and kind = 'file'`

  async function lock(id: string): Promise<CurrentVersion | undefined> {
    const [asset] = await sql<CurrentVersion[]>`
      select version, filename from assets where ${readyFile(id)} for no key update`
    return asset
  }

  async function readAsset(id: string) {
    const [row] = await sql<AssetRow[]>`
      select ${assetColumns(sql)} from assets where id = ${id}`
    return toAsset(row as AssetRow)
  }

  return {
    restoreVersion: (id, version) =>
      inTransaction(sql, async () => {
        const asset = await lock(id)
        if (asset === undefined) return { outcome: 'asset_not_found' }
        if (asset.version === version) {
          return { outcome: 'current', asset: await readAsset(id) }
        }
        const [content] = await sql<VersionContent[]>`
          delete from asset_versions where asset_id = ${id} and version = ${version}
          returning version, object_key, storage_id, chunk_size, filename, bytes, mime, created_at`
        if (content === undefined) return { outcome: 'version_not_found' }
        await switchVersion(sql, id, content)
        const { version: current, filename } = asset
        const previous = previousValues({ version: current, filename }, content)
        await recordChange(sql, actor, id, { type: 'asset.replaced', previous, isRestored: true })
        return { outcome: 'restored', asset: await readAsset(id) }
      }),

    deleteVersion: (id, version) =>
      inTransaction(sql, async () => {
        const asset = await lock(id)
        if (asset === undefined) return 'asset_not_found'
        if (asset.version === version) return 'current'
        const [removed] = await sql<VersionContent[]>`
          with removed as (
            delete from asset_versions where asset_id = ${id} and version = ${version}
            returning version, object_key, storage_id, filename, bytes, mime, created_at
          ), queued as (
            insert into removals (kind, storage_id, key, due_at)
            select 'object', coalesce(storage_id, object_key::text), object_key::text, now()
            from removed
          )
          update accounts set stored_bytes = stored_bytes - removed.bytes
          from removed where accounts.id = ${account} returning removed.*`
        if (removed === undefined) return 'version_not_found'
        const { filename, bytes, mime, created_at: createdAt } = removed
        const deleted = { assetId: id, version, filename, bytes, mime, createdAt }
        await recordEvent(sql, writer, 'version.deleted', deleted)
        return 'deleted'
      }),
  }
}

interface CurrentVersion {
  version: number
  filename: string
}

interface ReplacedAsset extends CurrentVersion {
  status: AssetStatus
  last_version: number
}

interface FinishedReplacement {
  /** Of the row of the replacement. */
  id: string
  assetId: string
  keepVersions: number
  actor: string
  /** See `queueChecksums`. */
  withheldFor: string | null
  read: FirstRead | undefined
}

/**
 * Completes a replacement. Locks the asset before the row of the replacement, like every transaction that changes
 * both. Undefined when the replacement is no longer being completed.
 */
export function finishReplacement(
  sql: Sql,
  { id, assetId, keepVersions, actor, withheldFor, read }: FinishedReplacement,
): Promise<AssetStatus | undefined> {
  return inTransaction(sql, async () => {
    const [asset] = await sql<ReplacedAsset[]>`
      select status, version, last_version, filename from assets where id = ${assetId} for no key update`
    if (asset?.status !== 'ready')
      return (await cancelCompleting(sql, actor, id)) ? 'cancelled' : undefined
    const version = asset.last_version + 1
    const [row] = await sql<UploadRow[]>`
      update assets set status = 'deleted', changed_at = now(), became_version = ${version}
      where id = ${id} and status = 'completing' returning ${sql(UPLOAD_COLUMNS)}`
    if (row === undefined) return undefined
    await queueChecksums(sql, sql`assets where id = ${id}`, withheldFor)
    await sql`
      update accounts set reserved_bytes = reserved_bytes - ${row.bytes},
        stored_bytes = stored_bytes + ${row.bytes}
      where id = ${row.account_id}`
    const filename = row.keeps_name ? asset.filename : row.filename
    await switchVersion(sql, assetId, {
      version,
      object_key: row.id,
      storage_id: row.storage_id,
      chunk_size: row.chunk_size,
      filename,
      bytes: row.bytes,
      mime: row.mime,
      created_at: row.created_at,
    })
    const before = { version: asset.version, filename: asset.filename }
    const previous = previousValues(before, { version, filename })
    const replacement = { type: 'asset.replaced', previous, isRestored: false } as const
    await recordChange(sql, actor, assetId, replacement)
    await supersedeOldest(sql, actor, { assetId, keep: keepVersions })
    await recordFirstRead(sql, id, { read, keepVersions })
    return 'ready'
  })
}

/** Cancels a replacement whose asset is no longer ready. */
async function cancelCompleting(sql: Sql, actor: string, id: string): Promise<boolean> {
  const cancelled = await sql`
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
  await recordUploadEvents(sql, actor, 'upload.cancelled', [id])
  return true
}

/**
 * Cancels the unfinished replacements of these assets, in the caller's transaction, which has locked the assets.
 * Those that are being completed are not cancelled here: `finishReplacement` cancels them, because their asset is no
 * longer ready.
 */
export async function cancelReplacements(
  sql: Sql,
  actor: string,
  assetIds: string[],
): Promise<Upload[]> {
  const rows = await sql<UploadRow[]>`
    with ended as (
      update assets set status = 'cancelled', changed_at = now()
      where replaces = any(${assetIds}::uuid[]) and status = 'uploading'
      returning ${sql(UPLOAD_COLUMNS)}
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
  await recordUploadEvents(sql, actor, 'upload.cancelled', ids)
  return rows.map(toUpload)
}

/**
 * Makes a version the current one, in the caller's transaction, which has locked the asset. The version that
 * was current becomes an older one. The counters of the account do not change: the bytes are already
 * counted.
 */
async function switchVersion(sql: Sql, assetId: string, content: VersionContent): Promise<void> {
  await sql`
    insert into asset_versions (asset_id, account_id, version, object_key, storage_id, chunk_size,
      filename, bytes, mime, created_at, replaced_in)
    select id, account_id, version, coalesce(object_key, id), storage_id, chunk_size, filename, bytes,
      mime, coalesce(version_created_at, created_at), version_changes + 1
    from assets where id = ${assetId}`
  await sql`
    update assets set version = ${content.version},
      last_version = greatest(last_version, ${content.version}),
      version_changes = version_changes + 1, object_key = nullif(${content.object_key}::uuid, id),
      storage_id = ${content.storage_id}, chunk_size = ${content.chunk_size},
      filename = ${content.filename}, search_name = ${foldText(content.filename)},
      sort_name = ${sortName(content.filename)},
      bytes = ${content.bytes}, mime = ${content.mime}, version_created_at = ${content.created_at},
      updated_at = now()
    where id = ${assetId}`
}
