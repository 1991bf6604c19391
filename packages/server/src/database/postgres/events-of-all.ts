import { MAX_FUTURE_MS } from '../claim-times.ts'
import type { Database } from '../database.ts'
import { begin, type Sql } from './connection.ts'

/** An arbitrary number that nothing else locks in the database. */
const FORGET_EVENTS_LOCK = 7_205_759_403

type Events = Pick<Database, 'forgetEvents' | 'compareEvents' | 'repairEvents'>

/** The events of all accounts. Instances may call this concurrently. */
export function globalEvents(sql: Sql): Events {
  return {
    forgetEvents: (before, limit) =>
      begin(sql, async (transaction) => {
        // Without this lock, several instances would try to delete the same events.
        const [lock] = await transaction<{ is_free: boolean }[]>`
          select pg_try_advisory_xact_lock(${FORGET_EVENTS_LOCK}) as is_free`
        if (!lock?.is_free) return 0
        const isDue = transaction`(created_at < ${before}
          or created_at > now() + ${MAX_FUTURE_MS} * interval '1 ms')`
        const [row] = await transaction<{ count: number }[]>`
          with heads as (
            select a.id as account_id from accounts a where exists (
              select from (
                select created_at from events where account_id = a.id order by id limit 1
              ) head where ${isDue})
            limit ${limit}
          ), due as (
            select account_id, id from (
              select e.account_id, e.id, e.created_at,
                bool_and(${isDue}) over (partition by e.account_id order by e.id) as is_due
              from heads cross join lateral (
                select * from events where account_id = heads.account_id order by id limit ${limit}
              ) e
            ) prefix where is_due order by created_at limit ${limit}
          ), forgotten as (
            delete from events using due where events.account_id = due.account_id and events.id = due.id
            returning events.account_id, events.id
          ), locked as (
            select accounts.id, last.id as event from accounts
            join (select account_id, max(id) as id from forgotten group by account_id) last
              on accounts.id = last.account_id
            order by accounts.id for no key update of accounts
          ), marked as (
            update accounts set forgotten_event = greatest(forgotten_event, locked.event)
            from locked where accounts.id = locked.id
          )
          select count(*) as count from forgotten`
        return row?.count ?? 0
      }),

    async compareEvents() {
      const rows = await sql<{ id: string; last: number; highest: number; missing: number }[]>`
        select a.id, a.last_event as last, coalesce(max(e.id), 0) as highest,
          greatest(a.last_event, max(e.id)) - a.forgotten_event
            - count(e.id) filter (where e.id > a.forgotten_event) as missing
        from accounts a left join events e on e.account_id = a.id group by a.id order by a.id`
      return rows.map(({ id, last, highest, missing }) => {
        return { accountId: id, lastId: last, highestId: highest, missing }
      })
    },

    async repairEvents(accountId) {
      await sql`
        with ids as (
          select id, id - lag(id, 1, 0::bigint) over (order by id) as distance
          from events where account_id = ${accountId}
        ), locked as (
          select id from accounts where id = ${accountId} for no key update
        ), repaired as (
          select coalesce(max(ids.id), 0) as last,
            coalesce(max(ids.id - 1) filter (where distance > 1), 0) as gap
          from locked left join ids on true
        )
        update accounts set last_event = greatest(last_event, last), forgotten_event = case
          when last < last_event then last_event else greatest(forgotten_event, gap) end
        from repaired where id = ${accountId}`
    },
  }
}
