import type { AssetVersion } from '../../domain/asset.ts'
import type { Writer } from '../cache-account-data.ts'
import type { RestoreOutcome, VersionDeletion } from '../version-data.ts'
import { prepareRecordEvents } from './record-events.ts'
import { prepareQueueRemoval } from './release.ts'
import {
  ASSET_COLUMNS,
  type AssetRow,
  checksumOf,
  isWithheld,
  toAsset,
  toIntegrity,
} from './rows.ts'
import type { Connection } from './statement.ts'
import {
  type AssetOfVersions,
  prepareSwitchVersion,
  type VersionContent,
} from './switch-version.ts'

const CONTENT = 'version, object_key, storage_id, chunk_size, filename, bytes, mime, created_at'

type ListedVersion = VersionContent & { is_current: number; checksum: string | null }

/** A ready file. The rows of replacements are never ready. */
const READY_FILE = `id = :id and account_id = :account and status = 'ready' and kind = 'file'`

export function prepareVersions(connection: Connection) {
  const { prepare, transaction } = connection
  const queueRemoval = prepareQueueRemoval(connection)
  const switchVersion = prepareSwitchVersion(connection)
  const { recordAsset, recordEvent } = prepareRecordEvents(connection)
  const asset = prepare<AssetOfVersions>(
    `select seq, id, version, last_version, filename from assets where ${READY_FILE}`,
  )
  const assetBySeq = prepare<AssetRow>(`select ${ASSET_COLUMNS} from assets where seq = :seq`)
  const list = prepare<ListedVersion>(
    `select version, coalesce(object_key, id) as object_key, storage_id, chunk_size, filename, bytes,
       mime, coalesce(version_created_at, created_at) as created_at, 1 as is_current,
       ${checksumOf('coalesce(assets.object_key, assets.id)')}
     from assets where ${READY_FILE}
     union all
     select ${CONTENT}, 0, ${checksumOf('asset_versions.object_key')} from asset_versions
     where asset_id = (select id from assets where ${READY_FILE})
     order by version desc`,
  )
  const served = prepare<ListedVersion>(
    `select version, coalesce(object_key, id) as object_key, storage_id, chunk_size, filename, bytes,
       mime, coalesce(version_created_at, created_at) as created_at, 1 as is_current,
       ${checksumOf('coalesce(assets.object_key, assets.id)')}, version_changes + 1 as replaced_in
     from assets where ${READY_FILE} and not ${isWithheld('coalesce(assets.object_key, assets.id)')}
     union all
     select ${CONTENT}, 0, ${checksumOf('asset_versions.object_key')}, replaced_in from asset_versions
     where asset_id = (select id from assets where ${READY_FILE})
       and not ${isWithheld('asset_versions.object_key')}
     order by replaced_in desc limit 1`,
  )
  const take = prepare<VersionContent>(
    `delete from asset_versions where asset_id = :id and version = :version returning ${CONTENT}`,
  )
  const free = prepare(
    'update accounts set stored_bytes = stored_bytes - :bytes where id = :account',
  )

  function find(account: string, id: string) {
    const found = asset.get({ account, id })
    return {
      found,
      readAsset: () => toAsset(assetBySeq.get({ seq: found?.seq ?? -1 }) as AssetRow),
    }
  }

  return {
    listVersions(account: string, id: string): AssetVersion[] | undefined {
      const rows = list.all({ account, id })
      return rows.length === 0 ? undefined : rows.map(toVersion)
    },

    findServedVersion(account: string, id: string): AssetVersion | undefined {
      const row = served.get({ account, id })
      return row && toVersion(row)
    },

    restoreVersion(writer: Writer, id: string, version: number): RestoreOutcome {
      const { account } = writer
      return transaction(() => {
        const { found, readAsset } = find(account, id)
        if (found === undefined) return { outcome: 'asset_not_found' }
        if (found.version === version) return { outcome: 'current', asset: readAsset() }
        const content = take.get({ id, version })
        if (content === undefined) return { outcome: 'version_not_found' }
        switchVersion(found, content)
        recordAsset(writer, 'asset.replaced', found.seq)
        return { outcome: 'restored', asset: readAsset() }
      })
    },

    deleteVersion(writer: Writer, id: string, version: number): VersionDeletion {
      const { account } = writer
      return transaction(() => {
        const { found } = find(account, id)
        if (found === undefined) return 'asset_not_found'
        if (found.version === version) return 'current'
        const removed = take.get({ id, version })
        if (removed === undefined) return 'version_not_found'
        free.run({ account, bytes: removed.bytes })
        queueRemoval('object', { key: removed.object_key, storageId: removed.storage_id })
        const { filename, bytes, mime, created_at: createdAt } = removed
        const deleted = { assetId: id, version, filename, bytes, mime, createdAt }
        recordEvent(writer, 'version.deleted', deleted)
        return 'deleted'
      })
    },
  }
}

function toVersion(row: ListedVersion): AssetVersion {
  return {
    version: row.version,
    isCurrent: row.is_current === 1,
    filename: row.filename,
    bytes: row.bytes,
    mime: row.mime,
    createdAt: new Date(row.created_at),
    key: row.object_key,
    chunkSize: row.chunk_size,
    integrity: toIntegrity(row.checksum),
  }
}
