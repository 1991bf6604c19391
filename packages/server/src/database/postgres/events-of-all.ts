import type { Database } from '../database.ts'
import type { Sql } from './connection.ts'

/** The events of all accounts. Instances may call this concurrently. */
type Events = Pick<Database, 'forgetEvents' | 'compareEvents' | 'repairEvents'>

export function globalEvents(sql: Sql): Events {
  return {
    async forgetEvents(before, limit) {
      const [row] = await sql<{ count: number }[]>`
        with forgotten as (
          delete from events where (account_id, id) in (
            select account_id, id from events where created_at < ${before}
            order by created_at limit ${limit} for update skip locked)
          returning account_id, id
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
    },

    async compareEvents() {
      const rows = await sql<{ id: string; last: number; highest: number; missing: number }[]>`
        select a.id, a.last_event as last, coalesce(max(e.id), 0) as highest,
          a.last_event - a.forgotten_event
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
