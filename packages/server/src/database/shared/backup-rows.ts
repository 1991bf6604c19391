import { type BackupRecord, type BackupResult, MAX_HOLD_MS } from '../backup-data.ts'
import { type Dialect, statement } from './dialect.ts'
import { type Time, toDate, toDateOrNull } from './rows.ts'

interface BackupRow {
  id: string
  location: string
  started_at: Time
  finished_at: Time | null
  is_running: number
  generation: string | null
  files: number
  bytes: number
  damaged: number
}

function toBackup(row: BackupRow): BackupRecord {
  const { id, location, generation, files, bytes, damaged } = row
  return {
    id,
    location,
    startedAt: toDate(row.started_at),
    finishedAt: toDateOrNull(row.finished_at),
    isRunning: row.is_running === 1,
    result: generation === null ? null : { generation, files, bytes, damaged },
  }
}

/** A condition for a removal: a running backup needs the object. */
export function isHeld(dialect: Pick<Dialect, 'later'>, now: string): string {
  return `(kind = 'object' and exists (select 1 from backups where ${isHolding(dialect, now)}))`
}

/** A condition for a backup. A hold that ends later than `MAX_HOLD_MS` was set by a wrong clock. */
function isHolding({ later }: Pick<Dialect, 'later'>, now: string): string {
  return `hold_until > ${now} and hold_until <= ${later(now, MAX_HOLD_MS)}`
}

export function backupStatements({ clock, later, id }: Dialect) {
  return {
    beginBackup: statement<{ id: string; location: string; hold: number }>(
      `insert into backups (id, location, started_at, hold_until)
       values (${id('id')}, :location, ${clock}, ${later(clock, ':hold')})`,
    ).none(),
    forgetBackups: statement<{ keep: number }>(
      `delete from backups
       where id not in (select id from backups order by started_at desc limit :keep)
         and id not in (select id from backups where finished_at is not null order by started_at desc limit 1)
         and (hold_until is null or hold_until <= ${clock})`,
    ).none(),
    holdRemovals: statement<{ id: string; hold: number }>(
      `update backups set hold_until = ${later(clock, ':hold')}
       where id = ${id('id')} and hold_until > ${clock} returning id`,
    ).first(() => true),
    endBackup: statement<
      { id: string; generation: string | null } & Omit<BackupResult, 'generation'>
    >(
      `update backups set hold_until = null, generation = :generation, files = :files, bytes = :bytes,
         damaged = :damaged, finished_at = case when cast(:generation as text) is null then null else ${clock} end
       where id = ${id('id')}`,
    ).none(),
    listBackups: statement<{ limit: number }>(
      `select id, location, started_at, finished_at, generation, files, bytes, damaged,
         case when ${isHolding({ later }, clock)} then 1 else 0 end as is_running from backups
       order by started_at desc, id desc limit :limit`,
    ).every(toBackup),
  }
}
