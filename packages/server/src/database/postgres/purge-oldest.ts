import type { Writer } from '../cache-account-data.ts'
import { TRASH_BATCH } from '../trash-data.ts'
import type { Sql } from './connection.ts'
import { purge } from './purge.ts'

/**
 * Removes the oldest files in the trash until `bytes` are freed, at most `TRASH_BATCH`, in the caller's transaction.
 * Skips those that other transactions have locked. Returns the bytes that it freed.
 */
export async function purgeOldest(
  transaction: Sql,
  { account, actor }: Writer,
  bytes: number,
): Promise<number> {
  const oldest = await transaction<{ id: string; bytes: number }[]>`
    select id, (bytes + coalesce(
      (select sum(v.bytes) from asset_versions v where v.asset_id = assets.id), 0))::bigint as bytes
    from assets
    where account_id = ${account} and trashed_at is not null and kind = 'file'
    order by trashed_at, id limit ${TRASH_BATCH} for no key update skip locked`
  let freed = 0
  const ids: string[] = []
  for (const asset of oldest) {
    if (freed >= bytes) break
    ids.push(asset.id)
    freed += asset.bytes
  }
  await purge(transaction, actor, ids)
  return freed
}
