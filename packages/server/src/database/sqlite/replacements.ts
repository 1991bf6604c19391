import type { AssetStatus, Upload } from '../../domain/asset.ts'
import type { Writer } from '../cache-account-data.ts'
import { prepareChecksums } from './checksums.ts'
import { prepareRecordEvents } from './record-events.ts'
import { prepareRelease } from './release.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'
import { prepareSuperseded } from './superseded.ts'
import { type AssetOfVersions, prepareSwitchVersion } from './switch-version.ts'

/** Ends replacements, in the caller's transaction. */
export function prepareReplacements(connection: Connection) {
  const { prepare } = connection
  const release = prepareRelease(connection)
  const switchVersion = prepareSwitchVersion(connection)
  const { supersedeOldest } = prepareSuperseded(connection)
  const { queueChecksum } = prepareChecksums(connection)
  const { recordAsset } = prepareRecordEvents(connection)
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
      switchVersion(found, {
        version,
        object_key: row.id,
        storage_id: row.storage_id,
        chunk_size: row.chunk_size,
        filename: row.keeps_name === 1 ? found.filename : row.filename,
        bytes: row.bytes,
        mime: row.mime,
        created_at: row.created_at,
      })
      supersedeOldest(account, found.id, keep)
      recordAsset(writer, 'asset.replaced', found.seq)
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
