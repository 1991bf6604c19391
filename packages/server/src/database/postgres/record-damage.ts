import { VERIFICATION_JOB } from '../job-actors.ts'
import type { Sql } from './connection.ts'
import { recordEvents } from './record-events.ts'
import { assetSnapshot } from './snapshots.ts'
import type { Fragment } from './statement.ts'

/** The asset whose version has this object, and the number of the version. */
function ownerOf(sql: Sql, key: string): Fragment {
  return sql`
    select id, version from assets where object_key = ${key}
    union all
    select id, version from assets where id = ${key} and object_key is null
    union all
    select asset_id, version from asset_versions where object_key = ${key}`
}

/**
 * Locks the account of an object. Call it before the row of the checksum is locked: `finishSuperseded` uses the same
 * order, so that the two cannot deadlock.
 */
export async function lockAccountOf(transaction: Sql, key: string): Promise<void> {
  await transaction`
    select from accounts where id = (
      select account_id from assets where id = (select id from (${ownerOf(transaction, key)}) owner limit 1))
    for no key update`
}

/** Records that an object became damaged, or that it no longer is, in the caller's transaction. */
export async function recordDamage(
  transaction: Sql,
  key: string,
  isDamaged: boolean,
): Promise<void> {
  const damagedVersion = transaction`'damagedVersion', owner.version`
  const subjects = transaction`
    select s.account_id, 1 as position,
      ${isDamaged ? assetSnapshot(transaction, damagedVersion) : assetSnapshot(transaction)} as data
    from (${ownerOf(transaction, key)}) owner join assets s on s.id = owner.id
    where s.status = 'ready' or s.trashed_at is not null`
  const type = isDamaged ? 'asset.damaged' : 'asset.updated'
  await recordEvents(transaction, { type, actor: VERIFICATION_JOB, subjects })
}
