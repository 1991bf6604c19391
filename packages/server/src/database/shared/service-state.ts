import type { ServiceState } from '../database.ts'
import { isHeld } from './backup-rows.ts'
import { type Dialect, statement } from './dialect.ts'
import { type Time, toDate } from './rows.ts'

/** Longer queues are not counted to their end. */
const MAX_COUNTED = 10_000

/** Deliveries to failing webhooks wait for a retry, and are no backlog. */
const WORKING = 'w.disabled_at is null and w.failing_since is null'

interface StateRow extends Record<`${string}_since`, Time | null> {
  now: Time
  accounts: number
  assets: number
  stored: number
  reserved: number
  trash: number
  uploading: number
  damaged: number
  overdue: number
  completing: number
  removals: number
  unread: number
  withheld: number
  deliveries: number
  mails: number
  events_behind: number
}

/** Reads what the metrics show, at a cost that depends on the number of accounts and webhooks, but not on that of assets. */
export function readStateStatement(dialect: Dialect) {
  const { clock, flag } = dialect
  /** The length of a queue, and the time of its oldest entry. */
  const queue = (name: string, time: string, from: string) => `(
    select count(*) as ${name}, min(since) as ${name}_since
    from (select ${time} as since from ${from} limit ${MAX_COUNTED}) ${name}_entries
  ) ${name}_queue`
  const unread = "queue = 'new' and withheld_for is null"
  const sum = (column: string) => `cast(coalesce(sum(${column}), 0) as bigint)`
  return statement(
    `select ${clock} as now, totals.*, uploading_queue.uploading, damaged_queue.damaged, overdue_queue.*,
       completing_queue.*, removals_queue.*, unread_queue.*, withheld_queue.*, deliveries_queue.*, mails_queue.*,
       events_behind,
       (select max(started_at) from backups where finished_at is not null) as backup_since
     from (
       select count(*) as accounts, ${sum('asset_count')} as assets, ${sum('stored_bytes')} as stored,
         ${sum('reserved_bytes')} as reserved, ${sum('trash_bytes')} as trash
       from accounts
     ) totals,
     (
       select ${sum('a.last_event - w.last_event')} as events_behind
       from webhooks w join accounts a on a.id = w.account_id where ${WORKING}
     ) behind,
     ${queue('uploading', 'expires_at', "assets where status = 'uploading'")},
     ${queue('damaged', 'due_at', `checksums where damaged = ${flag(true)}`)},
     ${queue('overdue', 'expires_at', `assets where status = 'uploading' and expires_at <= ${clock}`)},
     ${queue('completing', 'changed_at', "assets where status = 'completing'")},
     ${queue('removals', 'due_at', `removals where due_at <= ${clock} and not ${isHeld(dialect, clock)}`)},
     ${queue('unread', 'due_at', `checksums where ${unread} and due_at <= ${clock}`)},
     ${queue('withheld', 'due_at', "checksums where withheld_for is not null and queue = 'new'")},
     ${queue('mails', 'created_at', "mails where state in ('queued', 'sending')")},
     ${queue(
       'deliveries',
       'created_at',
       `deliveries where status = 'pending'
          and webhook_id in (select w.id from webhooks w where ${WORKING})`,
     )}`,
  ).first((row: StateRow): ServiceState => {
    const now = toDate(row.now).getTime()
    const age = (since: Time | null | undefined) =>
      since === null || since === undefined ? 0 : Math.max(0, now - toDate(since).getTime())
    const { accounts, assets, stored, reserved, trash, uploading, completing, damaged } = row
    return {
      ...{ accounts, assets, stored, reserved, trash, uploading, completing, damaged },
      queues: [
        { job: 'expireUploads', length: row.overdue, lagMs: age(row.overdue_since) },
        { job: 'finishCompletions', length: completing, lagMs: age(row.completing_since) },
        { job: 'removeObjects', length: row.removals, lagMs: age(row.removals_since) },
        { job: 'computeChecksums', length: row.unread, lagMs: age(row.unread_since) },
        { job: 'compareChecksums', length: row.withheld, lagMs: age(row.withheld_since) },
      ],
      webhookBacklog: row.deliveries + row.events_behind,
      webhookBacklogAgeMs: age(row.deliveries_since),
      mailBacklog: row.mails,
      mailBacklogAgeMs: age(row.mails_since),
      backupAgeMs: row.backup_since === null ? undefined : age(row.backup_since),
    }
  })
}
