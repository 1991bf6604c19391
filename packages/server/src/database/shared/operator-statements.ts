import {
  type AccountUsage,
  INSTANCES_KEPT_MS,
  MAX_INSTANCES,
  type RecentFailures,
  type SeenInstance,
} from '../operator-data.ts'
import { type Dialect, statement } from './dialect.ts'
import { type Time, toDate, toDateOrNull } from './rows.ts'

/** Longer lists of failures are not counted to their end. */
const MAX_COUNTED = 10_000
const DAY_MS = 24 * 3_600_000

interface InstanceRow {
  now: Time
  id: string | null
  name: string
  version: string
  started_at: Time
  seen_at: Time
  problems: string
  free_bytes: number | null
  full_at: Time | null
}

export function operatorStatementsOf({ clock, earlier, id }: Dialect) {
  const dayAgo = earlier(clock, `${DAY_MS}`)
  const count = (from: string) =>
    `(select count(*) from (select 1 as one from ${from} limit ${MAX_COUNTED}) counted)`
  return {
    recordInstance: statement<{
      id: string
      name: string
      version: string
      problems: string
      free_bytes: number | null
      full_at: Date | null
    }>(
      `insert into instances (id, name, version, started_at, seen_at, problems, free_bytes, full_at)
       values (${id('id')}, :name, :version, ${clock}, ${clock}, :problems, :free_bytes, :full_at)
       on conflict (id) do update set seen_at = excluded.seen_at, problems = excluded.problems,
         free_bytes = excluded.free_bytes, full_at = excluded.full_at`,
    ).none(),
    forgetInstances: statement(
      `delete from instances where seen_at < ${earlier(clock, `${INSTANCES_KEPT_MS}`)}`,
    ).none(),
    removeInstance: statement<{ id: string }>(
      `delete from instances where id = ${id('id')}`,
    ).none(),
    /** One row without an ID if there is no instance. */
    listInstances: statement(
      `select ${clock} as now, i.* from (select 1 as one) o left join (
         select id, name, version, started_at, seen_at, problems, free_bytes, full_at from instances
         order by started_at, id limit ${MAX_INSTANCES}
       ) i on true order by i.started_at, i.id`,
    ).rows((rows: readonly InstanceRow[]) => ({
      now: toDate(rows[0]?.now ?? 0),
      instances: rows.flatMap(({ id, ...row }): SeenInstance[] =>
        id === null
          ? []
          : [
              {
                id,
                name: row.name,
                version: row.version,
                startedAt: toDate(row.started_at),
                seenAt: toDate(row.seen_at),
                problems: JSON.parse(row.problems),
                freeBytes: row.free_bytes,
                fullAt: toDateOrNull(row.full_at),
              },
            ],
      ),
    })),
    readFailures: statement(
      `select ${count(`mails where state = 'failed' and created_at > ${dayAgo}`)} as mails,
         ${count(`webhooks where failing_since is not null
           or (disabled_reason in ('failing', 'gone') and disabled_at > ${dayAgo})`)} as webhooks,
         ${count(`bulk_jobs where status = 'failed' and finished_at > ${dayAgo}`)} as bulk_jobs`,
    ).first(
      (row: { mails: number; webhooks: number; bulk_jobs: number }): RecentFailures => ({
        mails: row.mails,
        webhooks: row.webhooks,
        bulkJobs: row.bulk_jobs,
      }),
    ),
    listLargestAccounts: statement<{ limit: number }>(
      `select id, name, plan_name, plan_storage, plan_assets, stored_bytes, reserved_bytes, trash_bytes, asset_count
       from accounts order by stored_bytes + reserved_bytes + trash_bytes desc, name limit :limit`,
    ).every(
      (row: {
        id: string
        name: string
        plan_name: string
        plan_storage: number
        plan_assets: number | null
        stored_bytes: number
        reserved_bytes: number
        trash_bytes: number
        asset_count: number
      }): AccountUsage => ({
        id: row.id,
        name: row.name,
        planName: row.plan_name,
        planStorage: row.plan_storage,
        planAssets: row.plan_assets,
        stored: row.stored_bytes,
        reserved: row.reserved_bytes,
        trash: row.trash_bytes,
        assets: row.asset_count,
      }),
    ),
  }
}
