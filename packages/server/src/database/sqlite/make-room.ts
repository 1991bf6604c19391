import type { Room } from '../make-room.ts'
import { TRASH_BATCH } from '../trash-data.ts'
import { preparePurge } from './purge.ts'
import { UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'
import { prepareSuperseded } from './superseded.ts'

/** Makes room in the plan of an account, in the caller's transaction. */
export function prepareMakeRoom(connection: Connection) {
  const { prepare } = connection
  const { dropOldestSuperseded } = prepareSuperseded(connection)
  const purge = preparePurge(connection)
  const excess = prepare<{ bytes: number }>(
    `select stored_bytes + reserved_bytes + superseded_bytes + trash_bytes + :needed - plan_storage as bytes
     from accounts where id = :account and stored_bytes + reserved_bytes + :needed <= plan_storage`,
  )
  const oldestTrash = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets
     where account_id = :account and trashed_at is not null and kind = 'file'
     order by trashed_at, id limit ${TRASH_BATCH}`,
  )

  /**
   * The objects of versions that are no longer kept are removed first, then the oldest assets in the trash.
   * Nothing is removed if the bytes never fit.
   */
  return (account: string, needed: number): Room => {
    const row = excess.get({ account, needed })
    if (row === undefined) return 'none'
    let over = row.bytes - dropOldestSuperseded(account, row.bytes)
    if (over <= 0) return 'made'
    const oldest = oldestTrash.all({ account })
    for (const asset of oldest) {
      over -= purge(asset)
      if (over <= 0) return 'made'
    }
    return oldest.length === TRASH_BATCH ? 'partial' : 'none'
  }
}
