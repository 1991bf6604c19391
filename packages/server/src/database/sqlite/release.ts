import type { Removal } from '../database.ts'
import type { UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

/** Notes what the storage has to let go of, in the transaction of the caller. */
export function prepareRemovalNote({ prepare }: Connection) {
  const insert = prepare(
    `insert into removals (kind, storage_id, key, due_at)
     values (:kind, :storage_id, :key, :now)`,
  )
  return (kind: Removal['kind'], row: UploadRow): void => {
    const storageId = row.storage_id ?? row.upload_id
    insert.run({ kind, storage_id: storageId, key: row.id, now: Date.now() })
  }
}

/** Ends an unfinished upload: its bytes are free, its links gone, it is noted for removal. */
export function prepareRelease(connection: Connection) {
  const note = prepareRemovalNote(connection)
  const free = connection.prepare(
    'update accounts set reserved_bytes = reserved_bytes - :bytes where id = :account',
  )
  const unlink = connection.prepare('delete from asset_products where asset_seq = :seq')
  return (row: UploadRow): void => {
    free.run({ account: row.account_id, bytes: row.bytes })
    unlink.run({ seq: row.seq })
    note('upload', row)
  }
}
