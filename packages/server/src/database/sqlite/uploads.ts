import type { DatabaseSync } from 'node:sqlite'
import type { AssetStatus, Upload } from '../../domain/asset.ts'
import { foldText } from '../../domain/search-text.ts'
import type { NewUpload, Removal, Reservation } from '../database.ts'
import { toRemoval, toUpload, type UploadRow } from './rows.ts'
import { prepareUploadStatements } from './upload-statements.ts'

type InTransaction = <Result>(work: () => Result) => Result

export function prepareUploads(connection: DatabaseSync, inTransaction: InTransaction) {
  const sql = prepareUploadStatements(connection)

  function statusOf(id: string): AssetStatus {
    return sql.status.get({ id })?.status ?? 'deleted'
  }

  /** Frees what the upload reserved and notes what the storage has to let go of. */
  function release(row: UploadRow, now: Date): Removal {
    sql.release.run({ account: row.account_id, bytes: row.bytes })
    const removal = sql.addRemoval.get({
      storage_id: row.storage_id ?? row.upload_id,
      key: row.id,
      now: now.getTime(),
    })
    if (removal === undefined) throw new Error('the removal was not recorded')
    return toRemoval(removal)
  }

  function repeated(accountId: string, key: string, digest: string): Reservation | undefined {
    const row = sql.byIdempotencyKey.get({ account: accountId, key })
    if (row === undefined) return undefined
    if (row.request_digest !== digest) return { outcome: 'key_reused' }
    return { outcome: 'repeated', upload: toUpload(row) }
  }

  return {
    reserveUpload({ upload, idempotency }: NewUpload): Reservation {
      const { asset } = upload
      return inTransaction(() => {
        if (idempotency !== undefined) {
          const earlier = repeated(asset.accountId, idempotency.key, idempotency.digest)
          if (earlier !== undefined) return earlier
        }
        const reserved = sql.reserve.run({ account: asset.accountId, bytes: asset.bytes })
        if (reserved === 0) {
          const usage = sql.usage.get({ account: asset.accountId })
          return {
            outcome: 'storage_exceeded',
            usage: { limit: 0, stored: 0, reserved: 0, ...usage },
          }
        }
        sql.insert.run({
          id: asset.id,
          account: asset.accountId,
          filename: asset.filename,
          search_name: foldText(asset.filename),
          bytes: asset.bytes,
          mime: asset.mime,
          created_at: asset.createdAt.getTime(),
          upload_id: upload.id,
          chunk_size: upload.chunkSize,
          expires_at: upload.expiresAt.getTime(),
          key: idempotency?.key ?? null,
          digest: idempotency?.digest ?? null,
        })
        return { outcome: 'reserved' }
      })
    },

    recordStorageId(id: string, storageId: string): void {
      sql.recordStorageId.run({ id, storage_id: storageId })
    },

    dropReservation(id: string): void {
      inTransaction(() => {
        const row = sql.remove.get({ id })
        if (row !== undefined) sql.release.run({ account: row.account_id, bytes: row.bytes })
      })
    },

    findUpload(account: string, id: string): Upload | undefined {
      const row = sql.byId.get({ account, id })
      return row && toUpload(row)
    },

    beginCompletion(id: string, now: Date): { won: boolean; status: AssetStatus } {
      const won = sql.begin.run({ id, now: now.getTime() }) === 1
      return { won, status: won ? 'completing' : statusOf(id) }
    },

    reopenUpload(id: string, now: Date): void {
      sql.reopen.run({ id, now: now.getTime() })
    },

    finishCompletion(id: string, now: Date): AssetStatus {
      return inTransaction(() => {
        const row = sql.finish.get({ id, now: now.getTime() })
        if (row === undefined) return statusOf(id)
        sql.store.run({ account: row.account_id, bytes: row.bytes })
        sql.indexName.run({ seq: row.seq, search_name: row.search_name })
        return 'ready'
      })
    },

    abandonCompletion(id: string, now: Date): void {
      inTransaction(() => {
        const row = sql.abandon.get({ id, now: now.getTime() })
        if (row !== undefined) release(row, now)
      })
    },

    cancelUpload(id: string, now: Date): { removal?: Removal; status: AssetStatus } {
      return inTransaction(() => {
        const row = sql.cancel.get({ id, now: now.getTime() })
        if (row === undefined) return { status: statusOf(id) }
        return { removal: release(row, now), status: 'cancelled' }
      })
    },

    renewUpload(id: string, expiresAt: Date): boolean {
      return sql.renew.run({ id, expires_at: expiresAt.getTime() }) === 1
    },

    expireUploads(now: Date, limit: number): number {
      return inTransaction(() => {
        const rows = sql.expire.all({ now: now.getTime(), limit })
        for (const row of rows) release(row, now)
        return rows.length
      })
    },

    listStuckCompletions(before: Date, limit: number): Upload[] {
      return sql.stuck.all({ before: before.getTime(), limit }).map(toUpload)
    },

    filterUnfinished(ids: string[]): Set<string> {
      return new Set(sql.unfinished.all({ ids: JSON.stringify(ids) }).map(({ id }) => id))
    },

    forgetEndedUploads(before: Date, limit: number): number {
      return sql.forget.run({ before: before.getTime(), limit })
    },
  }
}
