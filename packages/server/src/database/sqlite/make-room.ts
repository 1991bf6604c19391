import type { Writer } from '../cache-account-data.ts'
import type { Room } from '../make-room.ts'
import { TRASH_BATCH } from '../trash-data.ts'
import { preparePurgeOldest } from './purge-oldest.ts'
import type { Connection } from './statement.ts'
import { prepareSuperseded } from './superseded.ts'

/** Makes room in the plan of an account, in the caller's transaction. */
export function prepareMakeRoom(connection: Connection) {
  const { prepare } = connection
  const { dropOldestSuperseded } = prepareSuperseded(connection)
  const purgeOldest = preparePurgeOldest(connection)
  const excess = prepare<{ bytes: number }>(
    `select stored_bytes + reserved_bytes + superseded_bytes + trash_bytes + :needed - plan_storage as bytes
     from accounts where id = :account and stored_bytes + reserved_bytes + :needed <= plan_storage`,
  )

  /**
   * The objects of versions that are no longer kept are removed first, then the oldest assets in the trash.
   * Nothing is removed if the bytes would not fit even then.
   */
  return (writer: Writer, needed: number): Room => {
    const { account } = writer
    const row = excess.get({ account, needed })
    if (row === undefined) return 'none'
    const over = row.bytes - dropOldestSuperseded(account, row.bytes)
    if (over <= 0) return 'made'
    const { freed, count } = purgeOldest(writer, over)
    if (freed >= over) return 'made'
    return count === TRASH_BATCH ? 'partial' : 'none'
  }
}
