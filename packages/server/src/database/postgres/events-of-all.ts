import { MAX_FUTURE_MS } from '../claim-times.ts'
import type { Database } from '../database.ts'
import type { EventComparison } from '../event-data.ts'
import {
  budgetOf,
  countEvents,
  EVENT_OVERHEAD,
  type EventCounters,
  type EventSize,
  selectForgotten,
} from '../trim-events.ts'
import { begin, type Sql } from './connection.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'

type Events = Pick<Database, 'listAccountsToTrim' | 'trimEvents' | 'compareEvents' | 'repairEvents'>

/** The events of all accounts. Instances may call this concurrently. */
export function globalEvents(sql: Sql): Events {
  const size = sql`octet_length(data::text) + ${EVENT_OVERHEAD}::bigint`

  return {
    async listAccountsToTrim({ before, maxBytes }, after = FIRST, limit) {
      const rows = await sql<{ id: string }[]>`
        select id from accounts a where id > ${after} and (counted_event < last_event
          or event_bytes > coalesce(${maxBytes ?? null}::bigint,
            greatest(${budgetOf(undefined, 0)}::bigint, plan_storage / 100))
          or exists (
            select from (select created_at from events where account_id = a.id order by id limit 1) head
            where created_at < ${before ?? new Date(0)} or created_at > now() + ${MAX_FUTURE_MS} * interval '1 ms'))
        order by id limit ${limit}`
      return rows.map(({ id }) => id)
    },

    trimEvents: (account, { before, maxBytes }, batch) =>
      begin(sql, async (transaction) => {
        // Holds the row, so that no other instance counts or forgets the same events.
        const [stored] = await transaction<(EventCounters & { now: Date })[]>`
          select last_event as "lastId", counted_event as "countedId", event_bytes as bytes,
            plan_storage as "planStorage", now() as now, (
              select min((select min(event_id) from deliveries
                where webhook_id = w.id and status = 'pending'))
              from webhooks w where w.account_id = ${account}) as "neededId"
          from accounts where id = ${account} for no key update`
        if (stored === undefined) return { forgotten: 0, hasMore: false }
        const { now, ...counters } = stored
        const readSizes = async (after: number) => {
          const rows = await transaction<(Omit<EventSize, 'createdAt'> & { created_at: Date })[]>`
            select id, created_at, ${size} as bytes from events
            where account_id = ${account} and id > ${after} order by id limit ${batch}`
          return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at.getTime() }))
        }
        const isBehind = counters.countedId < counters.lastId
        const added = isBehind ? await readSizes(counters.countedId) : []
        const counted = countEvents(counters, added, batch)
        const budget = budgetOf(maxBytes, counted.planStorage)
        const isChecked = before !== undefined || counted.bytes > budget
        const oldest = isChecked ? await readSizes(0) : []
        const latest = now.getTime() + MAX_FUTURE_MS
        const { count, bytes } = selectForgotten(counted, oldest, { before, latest, budget })
        const { id: last = 0, createdAt: lastAt } = oldest[count - 1] ?? {}
        if (count > 0) {
          await transaction`delete from events where account_id = ${account} and id <= ${last}`
        }
        if (count > 0 || counted.countedId !== counters.countedId) {
          await transaction`
            update accounts set counted_event = ${counted.countedId},
              event_bytes = ${counted.bytes - bytes},
              forgotten_event = greatest(forgotten_event, ${last}),
              forgotten_event_at = case when ${last} > forgotten_event
                then ${lastAt === undefined ? null : new Date(lastAt)} else forgotten_event_at end
            where id = ${account}`
        }
        return { forgotten: count, hasMore: count === batch || added.length === batch }
      }),

    async compareEvents() {
      const rows = await sql<EventComparison[]>`
        select a.id as "accountId", a.last_event as "lastId", coalesce(max(e.id), 0) as "highestId",
          greatest(a.last_event, max(e.id)) - a.forgotten_event
            - count(e.id) filter (where e.id > a.forgotten_event) as missing,
          a.event_bytes as "countedBytes",
          coalesce(sum(${size}) filter (where e.id <= a.counted_event), 0)::bigint as "actualBytes"
        from accounts a left join events e on e.account_id = a.id group by a.id order by a.id`
      return rows.map((row) => ({ ...row }))
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
          when last < last_event then last_event else greatest(forgotten_event, gap) end,
          forgotten_event_at = case when forgotten_event = case
            when last < last_event then last_event else greatest(forgotten_event, gap) end
            then forgotten_event_at end,
          counted_event = greatest(last_event, last),
          event_bytes = (select coalesce(sum(${size}), 0) from events where account_id = ${accountId})
        from repaired where id = ${accountId}`
    },
  }
}
