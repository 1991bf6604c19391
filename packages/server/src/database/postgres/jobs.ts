import { isHeld } from '../shared/backup-rows.ts'
import {
  MAX_COMPLETION_CLAIM_MS,
  MAX_FUTURE_MS,
  MAX_REMOVAL_FUTURE_MS,
  MIN_COMPLETION_CLAIM_MS,
  REMOVAL_CLAIM_MS,
} from '../shared/claim-times.ts'
import { EXPIRY_JOB } from '../shared/events.ts'
import {
  type RemovalRow,
  type StateRow,
  toRemoval,
  toState,
  toUpload,
  UPLOAD_COLUMNS,
  type UploadRow,
} from '../shared/rows.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { inTransaction, type Sql } from './connection.ts'
import { uploadSnapshot } from './events.ts'
import { finishSuperseded } from './removals.ts'
import { POSTGRES } from './rows.ts'
import { ANY_ACCOUNT, addNotice } from './unit-of-work.ts'

/** The queries of the background jobs, over all accounts. Instances may run them concurrently. */
export function globalJobs(sql: Sql): DatabaseMethods['jobs'] {
  const isNotSuspended = sql`
    account_id not in (select id from accounts where suspended_at is not null)`

  return {
    async readClock() {
      const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
      return row?.now ?? new Date(Number.NaN)
    },

    async listOverdueUploads(limit) {
      const rows = await sql<UploadRow[]>`
        select ${sql(UPLOAD_COLUMNS)} from assets
        where status = 'uploading' and expires_at <= now() and ${isNotSuspended}
        order by expires_at limit ${limit}`
      return rows.map(toUpload)
    },

    async limitExpiry(keptForMs) {
      await sql`
        with late as (
          select id from assets
          where status = 'uploading' and expires_at > now() + ${keptForMs} * interval '1 ms'
          order by id for update skip locked
        )
        update assets set expires_at = now() + ${keptForMs} * interval '1 ms'
        from late where assets.id = late.id`
    },

    async expireUploads(ids) {
      const expired = await sql<{ id: string }[]>`
        with due as (
          select id from assets
          where status = 'uploading' and expires_at <= now() and ${isNotSuspended} and id = any(${ids}::uuid[])
          for update skip locked
        ), ended as (
          update assets set status = 'expired', changed_at = now()
          from due where assets.id = due.id
          returning assets.*
        ), locked as (
          select accounts.id, sums.bytes, sums.count from accounts
          join (
            select account_id, sum(bytes) as bytes, count(*) as count from ended group by account_id
          ) sums
            on accounts.id = sums.account_id
          order by accounts.id for no key update of accounts
        ), freed as (
          update accounts set reserved_bytes = reserved_bytes - locked.bytes,
            last_event = last_event + locked.count
          from locked where accounts.id = locked.id
          returning accounts.id, last_event - locked.count as before
        ), recorded as (
          insert into events (account_id, id, type, created_at, actor, data)
          select s.account_id, before + row_number() over (partition by s.account_id order by s.id),
            'upload.expired', clock_timestamp(), ${EXPIRY_JOB}::text::json, ${uploadSnapshot(sql)}
          from ended s join freed on freed.id = s.account_id
        ), detached as (
          delete from asset_products using ended where asset_id = ended.id
        ), queued as (
          insert into removals (kind, storage_id, key, due_at)
          select 'upload', coalesce(storage_id, upload_id::text), id::text, now() from ended
        )
        select id from ended`
      if (expired.length > 0) addNotice(sql, ANY_ACCOUNT)
      return expired.map(({ id }) => id)
    },

    async listStuckCompletions(before, limit) {
      const rows = await sql<UploadRow[]>`
        select ${sql(UPLOAD_COLUMNS)} from assets
        where status = 'completing' and changed_at < ${before} order by changed_at limit ${limit}`
      return rows.map(toUpload)
    },

    async claimStuckCompletions({ before, now }, limit) {
      const rows = await sql<UploadRow[]>`
        update assets set retry_at = ${now}::timestamptz + least(
          greatest(${now}::timestamptz - changed_at, ${MIN_COMPLETION_CLAIM_MS} * interval '1 ms'),
          ${MAX_COMPLETION_CLAIM_MS} * interval '1 ms')
        where id = any(array(
          select id from assets
          where status = 'completing' and (coalesce(retry_at, changed_at) < ${before}
            or coalesce(retry_at, changed_at)
              > ${now}::timestamptz + ${MAX_FUTURE_MS} * interval '1 ms')
          order by coalesce(retry_at, changed_at) limit ${limit} for update skip locked))
        returning ${sql(UPLOAD_COLUMNS)}`
      return rows.map(toUpload)
    },

    async readStates(keys) {
      // An asset in the trash owns its objects like a ready one. The first query finds objects whose key is the ID of a
      // row. It returns `deleted` for the first object of a replaced asset, and for the object of a completed
      // replacement. If a version still has such an object, another query finds it by object_key: a row with priority 1
      // replaces the other row of the same key.
      const rows = await sql<StateRow[]>`
        select id, case when object_key is not null then 'deleted' when trashed_at is not null then 'ready'
            else status end as status, storage_id,
          0 as priority
        from assets where id = any(${keys}::uuid[])
        union all
        select object_key, case when trashed_at is null then status else 'ready' end, storage_id, 1
        from assets where object_key = any(${keys}::uuid[])
        union all
        select object_key, 'ready', storage_id, 1 from asset_versions
        where object_key = any(${keys}::uuid[])
        union all
        select key::uuid, 'superseded', nullif(storage_id, key), 1 from removals
        where account_id is not null and key = any(${keys})
        order by priority`
      return new Map(rows.map((row) => [row.id, toState(row)]))
    },

    async claimDueRemovals(now, limit) {
      const rows = await sql<RemovalRow[]>`
        update removals set due_at = ${new Date(now.getTime() + REMOVAL_CLAIM_MS)}
        where id = any(array(
          select id from removals
          where (due_at <= ${now}
              or due_at > ${now}::timestamptz + ${MAX_REMOVAL_FUTURE_MS} * interval '1 ms')
            and not ${sql.unsafe(isHeld(POSTGRES, 'clock_timestamp()'))}
          order by due_at limit ${limit} for update skip locked))
        returning id, kind, storage_id, key, attempts, due_at`
      return rows.map(toRemoval)
    },

    async listRemovals(limit) {
      const rows = await sql<RemovalRow[]>`
        select id, kind, storage_id, key, attempts, due_at from removals order by id limit ${limit}`
      return rows.map(toRemoval)
    },

    async finishRemoval(id) {
      const removed = await sql`
        with removed as (
          delete from removals where id = ${id} and account_id is null returning key
        ), forgotten as (
          delete from checksums using removed where object_key = removed.key::uuid
        )
        select from removed`
      if (removed.count === 1) return
      await inTransaction(sql, () => finishSuperseded(sql, id))
    },

    async postponeRemoval(id, dueAt) {
      await sql`
        update removals set due_at = ${dueAt}, attempts = attempts + 1 where id = ${id}`
    },

    async forgetEndedAssets(before, limit) {
      const forgotten = await sql`
        delete from assets where id = any(array(
          select id from assets
          where status in ('cancelled', 'expired', 'deleted') and trashed_at is null
            and changed_at < ${before}
          limit ${limit} for update skip locked))`
      return forgotten.count
    },
  }
}
