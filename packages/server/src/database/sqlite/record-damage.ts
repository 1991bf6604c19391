import { VERIFICATION_JOB } from '../job-actors.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { Connection } from './statement.ts'

/** Records that an object became damaged, or that it no longer is, in the caller's transaction. */
export function prepareRecordDamage(connection: Connection) {
  const { prepare } = connection
  const { recordAsset, recordDamage } = prepareRecordEvents(connection)
  const owner = prepare<{ seq: number; account_id: string; version: number }>(
    `select seq, account_id, version from assets
     where object_key = :key and (status = 'ready' or trashed_at is not null)
     union all
     select seq, account_id, version from assets
     where id = :key and object_key is null and (status = 'ready' or trashed_at is not null)
     union all
     select a.seq, a.account_id, v.version from asset_versions v join assets a on a.id = v.asset_id
     where v.object_key = :key`,
  )

  return (key: string, isDamaged: boolean): void => {
    const asset = owner.get({ key })
    if (asset === undefined) return
    const writer = { account: asset.account_id, actor: VERIFICATION_JOB }
    if (isDamaged) recordDamage(writer, asset)
    else recordAsset(writer, 'asset.updated', asset.seq)
  }
}
