import type { AssetStatus, Upload } from '../../domain/asset.ts'
import { type PreviousAsset, previousValues } from '../../domain/event.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { RestoreOutcome, VersionDeletion } from '../account-data.ts'
import { toAsset, toUpload, type VersionContent } from '../shared/rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareChecksums } from './checksums.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { prepareQueueRemoval, prepareRelease, prepareSuperseded } from './removals.ts'
import {
  ASSET_COLUMNS,
  type AssetRow,
  type Stored,
  UPLOAD_COLUMNS,
  type UploadRow,
} from './rows.ts'
import { prepareNameIndex } from './search.ts'

const CONTENT = 'version, object_key, storage_id, chunk_size, filename, bytes, mime, created_at'

/** A ready file. The rows of replacements are never ready. */
const READY_FILE = `id = :id and account_id = :account and status = 'ready' and kind = 'file'`

export function prepareVersions(connection: Connection) {
  const { prepare, transaction } = connection
  const queueRemoval = prepareQueueRemoval(connection)
  const switchVersion = prepareSwitchVersion(connection)
  const { recordReplacement, recordEvent } = prepareRecordEvents(connection)
  const asset = prepare<AssetOfVersions>(
    `select seq, id, version, last_version, filename from assets where ${READY_FILE}`,
  )
  const assetBySeq = prepare<AssetRow>(`select ${ASSET_COLUMNS} from assets where seq = :seq`)
  const take = prepare<Stored<VersionContent>>(
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
    restoreVersion(writer: Writer, id: string, version: number): RestoreOutcome {
      const { account } = writer
      return transaction(() => {
        const { found, readAsset } = find(account, id)
        if (found === undefined) return { outcome: 'asset_not_found' }
        if (found.version === version) return { outcome: 'current', asset: readAsset() }
        const content = take.get({ id, version })
        if (content === undefined) return { outcome: 'version_not_found' }
        switchVersion(found, content)
        const previous = previousValues(versionOf(found), content)
        recordReplacement(writer, found.seq, { previous, isRestored: true })
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

/** Ends replacements, in the caller's transaction. */
export function prepareReplacements(connection: Connection) {
  const { prepare } = connection
  const release = prepareRelease(connection)
  const switchVersion = prepareSwitchVersion(connection)
  const { supersedeOldest } = prepareSuperseded(connection)
  const { queueChecksum } = prepareChecksums(connection)
  const { recordReplacement } = prepareRecordEvents(connection)
  const completing = prepare<UploadRow & { replaces: string }>(
    `select ${UPLOAD_COLUMNS} from assets
     where id = :id and account_id = :account and status = 'completing' and replaces is not null`,
  )
  const asset = prepare<AssetOfVersions>(
    `select seq, id, version, last_version, filename from assets
     where id = :id and account_id = :account and status = 'ready'`,
  )
  const end = prepare(
    `update assets set status = :status, changed_at = :now, became_version = :version where seq = :seq`,
  )
  const store = prepare(
    `update accounts set reserved_bytes = reserved_bytes - :bytes,
       stored_bytes = stored_bytes + :bytes where id = :account`,
  )
  const cancel = prepare<UploadRow>(
    `update assets set status = 'cancelled', changed_at = :now
     where replaces = :id and status = 'uploading' returning ${UPLOAD_COLUMNS}`,
  )

  return {
    /** Undefined if there is no replacement that is being completed. */
    finishReplacement(
      writer: Writer,
      id: string,
      { keep, withheldFor }: { keep: number; withheldFor: string | null },
    ): AssetStatus | undefined {
      const { account, actor } = writer
      const row = completing.get({ account, id })
      if (row === undefined) return undefined
      const now = Date.now()
      const found = asset.get({ account, id: row.replaces })
      if (found === undefined) {
        end.run({ seq: row.seq, status: 'cancelled', version: null, now })
        release(actor, 'upload.cancelled', row)
        return 'cancelled'
      }
      const version = found.last_version + 1
      end.run({ seq: row.seq, status: 'deleted', version, now })
      store.run({ account, bytes: row.bytes })
      const object = { key: row.id, bytes: row.bytes, chunkSize: row.chunk_size }
      queueChecksum(object, withheldFor)
      const filename = row.keeps_name === 1 ? found.filename : row.filename
      switchVersion(found, {
        version,
        object_key: row.id,
        storage_id: row.storage_id,
        chunk_size: row.chunk_size,
        filename,
        bytes: row.bytes,
        mime: row.mime,
        created_at: row.created_at,
      })
      const previous = previousValues(versionOf(found), { version, filename })
      recordReplacement(writer, found.seq, { previous, isRestored: false })
      supersedeOldest(writer, found.id, keep)
      return 'ready'
    },

    /**
     * Cancels the unfinished replacement of an asset. One that is being completed is not cancelled here:
     * `finishReplacement` cancels it, because its asset is no longer ready.
     */
    cancelReplacement(actor: string, assetId: string): Upload | undefined {
      const row = cancel.get({ id: assetId, now: Date.now() })
      if (row === undefined) return undefined
      release(actor, 'upload.cancelled', row)
      return toUpload(row)
    },
  }
}

interface AssetOfVersions {
  seq: number
  id: string
  version: number
  last_version: number
  filename: string
}

/** The values that another version can have. */
function versionOf({ version, filename }: AssetOfVersions): PreviousAsset {
  return { version, filename }
}

/**
 * Makes a version the current one, in the caller's transaction. The version that was current becomes an older
 * one. The counters of the account do not change: the bytes are already counted.
 */
function prepareSwitchVersion(connection: Connection) {
  const { prepare } = connection
  const keepCurrent = prepare(
    `insert into asset_versions (asset_id, account_id, version, object_key, storage_id, chunk_size,
       filename, bytes, mime, created_at, replaced_in)
     select id, account_id, version, coalesce(object_key, id), storage_id, chunk_size, filename, bytes,
       mime, coalesce(version_created_at, created_at), version_changes + 1
     from assets where seq = :seq`,
  )
  const setCurrent = prepare(
    `update assets set version = :version, last_version = max(last_version, :version),
       version_changes = version_changes + 1, object_key = nullif(:object_key, id),
       storage_id = :storage_id, chunk_size = :chunk_size, filename = :filename,
       search_name = :search_name, sort_name = :sort_name, bytes = :bytes, mime = :mime, version_created_at = :created_at,
       updated_at = :now
     where seq = :seq`,
  )
  const indexName = prepareNameIndex(connection)

  return ({ seq, filename }: AssetOfVersions, content: Stored<VersionContent>): void => {
    const search_name = foldText(content.filename)
    const sort_name = sortName(content.filename)
    keepCurrent.run({ seq })
    setCurrent.run({ seq, ...content, search_name, sort_name, now: Date.now() })
    if (content.filename !== filename) indexName.run({ seq, search_name })
  }
}
