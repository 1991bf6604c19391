import type { AssetStatus, Upload } from '../../domain/asset.ts'
import type { Usage } from '../../domain/plan.ts'
import { foldText } from '../../domain/search-text.ts'
import type { NewUpload, Reservation, Resizing, Transition } from '../account-data.ts'
import { statusOrResized } from '../status-or-resized.ts'
import { prepareRelease } from './release.ts'
import { toUpload } from './rows.ts'
import type { Connection } from './statement.ts'
import { prepareUploadStatements } from './upload-statements.ts'

export function prepareUploads(connection: Connection) {
  const { transaction } = connection
  const sql = prepareUploadStatements(connection)
  const release = prepareRelease(connection)

  function statusOf(account: string, id: string): AssetStatus | undefined {
    return sql.status.get({ account, id })?.status
  }

  function usageOf(account: string): Usage {
    return { limit: 0, stored: 0, reserved: 0, ...sql.usage.get({ account }) }
  }

  function repeated(account: string, key: string, digest: string): Reservation | undefined {
    const row = sql.byIdempotencyKey.get({ account, key })
    if (row === undefined) return undefined
    if (row.request_digest !== digest) return { outcome: 'key_reused' }
    return { outcome: 'repeated', upload: toUpload(row) }
  }

  return {
    reserveUpload(account: string, { upload, keptForMs, idempotency }: NewUpload): Reservation {
      const { asset } = upload
      return transaction(() => {
        if (idempotency !== undefined) {
          const earlier = repeated(account, idempotency.key, idempotency.digest)
          if (earlier !== undefined) return earlier
        }
        if (sql.reserve.run({ account, bytes: asset.bytes }) === 0) {
          return { outcome: 'storage_exceeded', usage: usageOf(account) }
        }
        sql.insert.run({
          id: asset.id,
          account,
          filename: asset.filename,
          search_name: foldText(asset.filename),
          bytes: asset.bytes,
          mime: asset.mime,
          created_at: asset.createdAt.getTime(),
          upload_id: upload.id,
          chunk_size: upload.chunkSize,
          expires_at: Date.now() + keptForMs,
          key: idempotency?.key ?? null,
          digest: idempotency?.digest ?? null,
        })
        return { outcome: 'reserved' }
      })
    },

    recordStorageId(
      account: string,
      id: string,
      { previous, storageId }: { previous: string; storageId: string },
    ): boolean {
      return sql.recordStorageId.run({ account, id, previous, storage_id: storageId }) === 1
    },

    dropReservation(account: string, id: string): void {
      transaction(() => {
        const row = sql.remove.get({ account, id })
        if (row !== undefined) sql.free.run({ account, bytes: row.bytes })
      })
    },

    findUpload(account: string, id: string): Upload | undefined {
      const row = sql.byId.get({ account, id })
      return row && toUpload(row)
    },

    beginCompletion(
      account: string,
      id: string,
      { keptForMs, bytes }: { keptForMs: number; bytes?: number },
    ) {
      const now = Date.now()
      const times = { now, expires_at: now + keptForMs }
      const won = sql.begin.run({ account, id, ...times, bytes: bytes ?? null }) === 1
      const status = won ? 'completing' : statusOrResized(sql.status.get({ account, id }), bytes)
      return { won, status } satisfies Transition<'resized'>
    },

    reopenUpload(account: string, id: string): void {
      sql.reopen.run({ account, id, now: Date.now() })
    },

    finishCompletion(account: string, id: string): AssetStatus | undefined {
      return transaction(() => {
        const row = sql.finish.get({ account, id, now: Date.now() })
        if (row === undefined) return statusOf(account, id)
        sql.store.run({ account, bytes: row.bytes })
        sql.indexName.run({ seq: row.seq, search_name: row.search_name })
        return 'ready'
      })
    },

    abandonCompletion(account: string, id: string, graceMs: number): void {
      transaction(() => {
        const row = sql.abandon.get({ account, id, now: Date.now(), grace: graceMs })
        if (row !== undefined) release(row)
      })
    },

    cancelUpload(account: string, id: string): Transition {
      return transaction(() => {
        const row = sql.cancel.get({ account, id, now: Date.now() })
        if (row === undefined) return { won: false, status: statusOf(account, id) }
        release(row)
        return { won: true, status: 'cancelled' }
      })
    },

    renewUpload(account: string, id: string, keptForMs: number): boolean {
      return sql.renew.run({ account, id, expires_at: Date.now() + keptForMs }) === 1
    },

    resizeUpload(account: string, id: string, bytes: number): Resizing {
      return transaction(() => {
        const row = sql.status.get({ account, id })
        if (row?.status !== 'uploading') return { outcome: 'refused', status: row?.status }
        if (row.retry_at !== null) return { outcome: 'final' }
        const growth = bytes - row.bytes
        if (sql.resizeReservation.run({ account, growth }) === 0) {
          return { outcome: 'storage_exceeded', usage: usageOf(account), growth }
        }
        sql.resize.run({ account, id, bytes })
        return { outcome: 'resized' }
      })
    },
  }
}
