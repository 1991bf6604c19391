import type { AssetVersion } from '../../domain/asset.ts'
import type { AccountData } from '../account-data.ts'
import type { Writer } from '../cache-account-data.ts'
import { begin, type Sql } from './connection.ts'
import { recordAssetEvents, recordEvent } from './record-events.ts'
import {
  type AssetRow,
  assetColumns,
  checksumOf,
  isWithheld,
  type StoredChecksum,
  toAsset,
  toIntegrity,
} from './rows.ts'
import { switchVersion, type VersionContent } from './switch-version.ts'

type Versions = Pick<
  AccountData,
  'listVersions' | 'findServedVersion' | 'restoreVersion' | 'deleteVersion'
>

type ListedVersion = VersionContent & { is_current: boolean; checksum: StoredChecksum | null }

export function accountVersions(sql: Sql, writer: Writer): Versions {
  const { account, actor } = writer

  /** A ready file. The rows of replacements are never ready. */
  const readyFile = (id: string) =>
    sql`id = ${id} and account_id = ${account} and status = 'ready' and kind = 'file'`

  async function lock(transaction: Sql, id: string): Promise<{ version: number } | undefined> {
    const [asset] = await transaction<{ version: number }[]>`
      select version from assets where ${readyFile(id)} for no key update`
    return asset
  }

  async function readAsset(transaction: Sql, id: string) {
    const [row] = await transaction<AssetRow[]>`
      select ${assetColumns(sql)} from assets where id = ${id}`
    return toAsset(row as AssetRow)
  }

  return {
    async listVersions(id) {
      const rows = await sql<ListedVersion[]>`
        select version, coalesce(object_key, id) as object_key, storage_id, chunk_size, filename,
          bytes, mime, coalesce(version_created_at, created_at) as created_at, true as is_current,
          ${checksumOf(sql, sql`coalesce(assets.object_key, assets.id)`)}
        from assets where ${readyFile(id)}
        union all
        select version, object_key, storage_id, chunk_size, filename, bytes, mime, created_at, false,
          ${checksumOf(sql, sql`asset_versions.object_key`)}
        from asset_versions where asset_id = (select id from assets where ${readyFile(id)})
        order by version desc`
      return rows.length === 0 ? undefined : rows.map(toVersion)
    },

    async findServedVersion(id) {
      const [row] = await sql<ListedVersion[]>`
        select version, coalesce(object_key, id) as object_key, storage_id, chunk_size, filename,
          bytes, mime, coalesce(version_created_at, created_at) as created_at, true as is_current,
          ${checksumOf(sql, sql`coalesce(assets.object_key, assets.id)`)},
          version_changes + 1 as replaced_in
        from assets
        where ${readyFile(id)} and not ${isWithheld(sql, sql`coalesce(assets.object_key, assets.id)`)}
        union all
        select version, object_key, storage_id, chunk_size, filename, bytes, mime, created_at, false,
          ${checksumOf(sql, sql`asset_versions.object_key`)}, replaced_in
        from asset_versions
        where asset_id = (select id from assets where ${readyFile(id)})
          and not ${isWithheld(sql, sql`asset_versions.object_key`)}
        order by replaced_in desc limit 1`
      return row && toVersion(row)
    },

    restoreVersion: (id, version) =>
      begin(sql, async (transaction) => {
        const asset = await lock(transaction, id)
        if (asset === undefined) return { outcome: 'asset_not_found' }
        if (asset.version === version) {
          return { outcome: 'current', asset: await readAsset(transaction, id) }
        }
        const [content] = await transaction<VersionContent[]>`
          delete from asset_versions where asset_id = ${id} and version = ${version}
          returning version, object_key, storage_id, chunk_size, filename, bytes, mime, created_at`
        if (content === undefined) return { outcome: 'version_not_found' }
        await switchVersion(transaction, id, content)
        await recordAssetEvents(transaction, actor, 'asset.replaced', [id])
        return { outcome: 'restored', asset: await readAsset(transaction, id) }
      }),

    deleteVersion: (id, version) =>
      begin(sql, async (transaction) => {
        const asset = await lock(transaction, id)
        if (asset === undefined) return 'asset_not_found'
        if (asset.version === version) return 'current'
        const [removed] = await transaction<VersionContent[]>`
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
        await recordEvent(transaction, writer, 'version.deleted', deleted)
        return 'deleted'
      }),
  }
}

function toVersion(row: ListedVersion): AssetVersion {
  return {
    version: row.version,
    isCurrent: row.is_current,
    filename: row.filename,
    bytes: row.bytes,
    mime: row.mime,
    createdAt: row.created_at,
    key: row.object_key,
    chunkSize: row.chunk_size,
    integrity: toIntegrity(row.checksum),
  }
}
