import type { Room } from '../make-room.ts'
import { TRASH_BATCH } from '../trash-data.ts'
import type { Sql } from './connection.ts'
import { purge } from './purge.ts'
import { dropOldestSuperseded } from './superseded.ts'

interface Usage {
  free: number
  superseded_bytes: number
  trash_bytes: number
}

/**
 * Locks the account and makes room in its plan, in the caller's transaction. The objects of versions that are no
 * longer kept are removed first, then the oldest assets in the trash. Nothing is removed if the bytes never fit.
 */
export async function makeRoom(transaction: Sql, account: string, needed: number): Promise<Room> {
  const [usage] = await transaction<Usage[]>`
    select plan_storage - stored_bytes - reserved_bytes as free, superseded_bytes, trash_bytes
    from accounts where id = ${account} for no key update`
  if (usage === undefined || usage.free < needed) return 'none'
  const excess = needed + usage.superseded_bytes + usage.trash_bytes - usage.free
  if (excess <= 0) return 'made'
  const freed = await dropOldestSuperseded(transaction, account, excess)
  return freed >= excess ? 'made' : purgeOldest(transaction, account, excess - freed)
}

/** Assets are locked before accounts. This transaction has locked the account, so it must not wait for an asset. */
async function purgeOldest(transaction: Sql, account: string, bytes: number): Promise<Room> {
  const oldest = await transaction<{ id: string; bytes: number }[]>`
    select id, (bytes + coalesce(
      (select sum(v.bytes) from asset_versions v where v.asset_id = assets.id), 0))::bigint as bytes
    from assets
    where account_id = ${account} and trashed_at is not null and kind = 'file'
    order by trashed_at, id limit ${TRASH_BATCH} for no key update skip locked`
  let over = bytes
  const ids: string[] = []
  for (const asset of oldest) {
    if (over <= 0) break
    ids.push(asset.id)
    over -= asset.bytes
  }
  await purge(transaction, ids)
  if (over <= 0) return 'made'
  // The others are beyond the batch, or other transactions are removing or restoring them.
  const [other] = await transaction`
    select from assets where account_id = ${account} and trashed_at is not null and kind = 'file' limit 1`
  return other === undefined ? 'none' : 'partial'
}
