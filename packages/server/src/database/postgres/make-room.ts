import type { Writer } from '../cache-account-data.ts'
import type { Room } from '../make-room.ts'
import type { Sql } from './connection.ts'
import { purgeOldest } from './purge-oldest.ts'
import { dropOldestSuperseded } from './superseded.ts'

interface Usage {
  free: number
  superseded_bytes: number
  trash_bytes: number
}

/**
 * Locks the account and makes room in its plan, in the caller's transaction. The objects of versions that are no
 * longer kept are removed first, then the oldest assets in the trash. Nothing is removed if the bytes would not fit
 * even then.
 */
export async function makeRoom(transaction: Sql, writer: Writer, needed: number): Promise<Room> {
  const { account } = writer
  const [usage] = await transaction<Usage[]>`
    select plan_storage - stored_bytes - reserved_bytes as free, superseded_bytes, trash_bytes
    from accounts where id = ${account} for no key update`
  if (usage === undefined || usage.free < needed) return 'none'
  const excess = needed + usage.superseded_bytes + usage.trash_bytes - usage.free
  if (excess <= 0) return 'made'
  const freed = await dropOldestSuperseded(transaction, account, excess)
  const missing = excess - freed
  // Assets are locked before accounts. This transaction has locked the account, so it must not wait for an asset.
  if (missing <= 0 || (await purgeOldest(transaction, writer, missing)) >= missing) return 'made'
  // The remaining trash is beyond this batch, or locked by transactions that remove or restore it.
  const [other] = await transaction`
    select from assets where account_id = ${account} and trashed_at is not null and kind = 'file' limit 1`
  return other === undefined ? 'none' : 'partial'
}
