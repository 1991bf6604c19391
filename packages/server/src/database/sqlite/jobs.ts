import type { Upload } from '../../domain/asset.ts'
import type { AssetState, Removal } from '../database.ts'
import { isHeld } from '../shared/backup-rows.ts'
import {
  MAX_COMPLETION_CLAIM_MS,
  MAX_FUTURE_MS,
  MAX_REMOVAL_FUTURE_MS,
  MIN_COMPLETION_CLAIM_MS,
  REMOVAL_CLAIM_MS,
} from '../shared/claim-times.ts'
import { EXPIRY_JOB } from '../shared/events.ts'
import { type RemovalRow, type StateRow, toRemoval, toState, toUpload } from '../shared/rows.ts'
import { prepareChecksums } from './checksums.ts'
import type { Connection } from './connection.ts'
import { prepareRelease, prepareSuperseded } from './removals.ts'
import { SQLITE, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'

const REMOVAL_COLUMNS = 'id, kind, storage_id, key, attempts, due_at'

/** An asset in the trash owns its objects like a ready one. */
const OBJECT_STATUS = `iif(trashed_at is null, status, 'ready')`

const IS_NOT_SUSPENDED =
  'account_id not in (select id from accounts where suspended_at is not null)'

/** The queries of the background jobs, over all accounts. */
export function prepareJobs(connection: Connection) {
  const { prepare, transaction } = connection
  const release = prepareRelease(connection)
  const { uncountSuperseded } = prepareSuperseded(connection)
  const { removeChecksum } = prepareChecksums(connection)
  const expire = prepare<UploadRow>(
    `update assets set status = 'expired', changed_at = :clock
     where status = 'uploading' and expires_at <= :clock and ${IS_NOT_SUSPENDED}
       and id in (select value from json_each(:ids))
     returning ${UPLOAD_COLUMNS}`,
  )
  const overdue = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets where status = 'uploading' and expires_at <= :clock
       and ${IS_NOT_SUSPENDED} order by expires_at limit :limit`,
  )
  const isLater = `status = 'uploading' and expires_at > :latest`
  const anyLater = prepare(`select 1 from assets where ${isLater} limit 1`)
  const limit = prepare(`update assets set expires_at = :latest where ${isLater}`)
  const stuck = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets
     where status = 'completing' and changed_at < :before order by changed_at limit :limit`,
  )
  const anyCompleting = prepare(`select 1 from assets where status = 'completing' limit 1`)
  const claimStuck = prepare<UploadRow>(
    `update assets
     set retry_at = :now + min(max(:now - changed_at, ${MIN_COMPLETION_CLAIM_MS}), ${MAX_COMPLETION_CLAIM_MS})
     where seq in (
       select seq from assets
       where status = 'completing' and (coalesce(retry_at, changed_at) < :before
         or coalesce(retry_at, changed_at) > :now + ${MAX_FUTURE_MS})
       order by coalesce(retry_at, changed_at) limit :limit)
     returning ${UPLOAD_COLUMNS}`,
  )
  // The first query finds objects whose key is the ID of a row. It returns `deleted` for the first object of a replaced
  // asset, and for the object of a completed replacement. If a version still has such an object, another query finds it
  // by object_key, with priority 1.
  const states = prepare<StateRow>(
    `select id, iif(object_key is null, ${OBJECT_STATUS}, 'deleted') as status, storage_id, 0 as priority
     from assets where id in (select value from json_each(:keys))
     union all
     select object_key, ${OBJECT_STATUS}, storage_id, 1
     from assets where object_key in (select value from json_each(:keys))
     union all
     select object_key, 'ready', storage_id, 1
     from asset_versions where object_key in (select value from json_each(:keys))
     union all
     select key, 'superseded', nullif(storage_id, key), 1 from removals
     where account_id is not null and key in (select value from json_each(:keys))
     order by priority`,
  )
  const isDue = `(due_at <= :now or due_at > :now + ${MAX_REMOVAL_FUTURE_MS})
    and not ${isHeld(SQLITE, ':now')}`
  const anyDue = prepare(`select 1 from removals where ${isDue} limit 1`)
  const claim = prepare<RemovalRow>(
    `update removals set due_at = :claimed_until where id in (
       select id from removals where ${isDue} order by due_at limit :limit)
     returning ${REMOVAL_COLUMNS}`,
  )
  const removals = prepare<RemovalRow>(
    `select ${REMOVAL_COLUMNS} from removals order by id limit :limit`,
  )
  const remove = prepare<{ key: string; account_id: string | null; bytes: number | null }>(
    'delete from removals where id = :id returning key, account_id, bytes',
  )
  const postpone = prepare(
    'update removals set due_at = :due_at, attempts = attempts + 1 where id = :id',
  )
  const deleteEnded = prepare(
    `delete from assets where seq in (
       select seq from assets
       where status in ('cancelled', 'expired', 'deleted') and trashed_at is null
         and changed_at < :before
       limit :limit)`,
  )

  return {
    // The database is a file on this machine, so its clock is this machine's.
    readClock: () => new Date(),

    listOverdueUploads(limit: number): Upload[] {
      return overdue.all({ clock: Date.now(), limit }).map(toUpload)
    },

    limitExpiry(keptForMs: number): void {
      const latest = Date.now() + keptForMs
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (anyLater.get({ latest }) !== undefined) limit.run({ latest })
    },

    expireUploads(ids: string[]): string[] {
      return transaction(() => {
        const rows = expire.all({ clock: Date.now(), ids: JSON.stringify(ids) })
        for (const row of rows) release(EXPIRY_JOB, 'upload.expired', row)
        return rows.map(({ id }) => id)
      })
    },

    listStuckCompletions(before: Date, limit: number): Upload[] {
      return stuck.all({ before: before.getTime(), limit }).map(toUpload)
    },

    claimStuckCompletions({ before, now }: { before: Date; now: Date }, limit: number): Upload[] {
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (anyCompleting.get({}) === undefined) return []
      const times = { before: before.getTime(), now: now.getTime() }
      return claimStuck.all({ ...times, limit }).map(toUpload)
    },

    readStates(keys: string[]): Map<string, AssetState> {
      const rows = states.all({ keys: JSON.stringify(keys) })
      // A row with priority 1 replaces the other row of the same key.
      return new Map(rows.map((row) => [row.id, toState(row)]))
    },

    claimDueRemovals(now: Date, limit: number): Removal[] {
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (anyDue.get({ now: now.getTime() }) === undefined) return []
      const claimed_until = now.getTime() + REMOVAL_CLAIM_MS
      return claim.all({ now: now.getTime(), claimed_until, limit }).map(toRemoval)
    },

    listRemovals(limit: number): Removal[] {
      return removals.all({ limit }).map(toRemoval)
    },

    finishRemoval(id: number): void {
      transaction(() => {
        const row = remove.get({ id })
        if (row !== undefined) removeChecksum(row.key)
        if (row?.account_id) uncountSuperseded(row.account_id, row.bytes ?? 0)
      })
    },

    postponeRemoval(id: number, dueAt: Date): void {
      postpone.run({ id, due_at: dueAt.getTime() })
    },

    forgetEndedAssets(before: Date, limit: number): number {
      return deleteEnded.run({ before: before.getTime(), limit })
    },
  }
}
