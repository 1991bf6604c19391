import type { Writer } from '../cache-account-data.ts'
import { TRASH_BATCH } from '../trash-data.ts'
import { preparePurge } from './purge.ts'
import { UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

/**
 * Removes the oldest files in the trash until `bytes` are freed, at most `TRASH_BATCH` files, in the caller's
 * transaction.
 * Returns the bytes that it freed, and the number of files.
 */
export function preparePurgeOldest(connection: Connection) {
  const { prepare } = connection
  const purge = preparePurge(connection)
  const oldest = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets
     where account_id = :account and trashed_at is not null and kind = 'file'
     order by trashed_at, id limit ${TRASH_BATCH}`,
  )

  return (writer: Writer, bytes: number): { freed: number; count: number } => {
    const { account, actor } = writer
    let freed = 0
    let count = 0
    for (const asset of oldest.all({ account })) {
      if (freed >= bytes) break
      freed += purge(actor, asset)
      count += 1
    }
    return { freed, count }
  }
}
