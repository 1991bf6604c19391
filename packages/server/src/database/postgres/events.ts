import type { EventActor, EventType } from '../../domain/event.ts'
import { type EventData, type EventQuery, MAX_EVENT_PAGE_BYTES } from '../event-data.ts'
import { toEvent, toPositions } from '../read-event-data.ts'
import { storeEventData } from '../store-event-data.ts'
import { begin, type Sql } from './connection.ts'
import type { Fragment } from './statement.ts'

interface EventRow {
  last_event: number
  forgotten_event: number
  after_at: Date | null
  last_at: Date | null
  forgotten_event_at: Date | null
  /** Null if no event was found: then the row has only the columns of the account. */
  id: number | null
  type: EventType
  created_at: Date
  actor: EventActor
  data: unknown
  /** The number of events that were found, including those that the limits leave out of the page. */
  found: number | null
}

export function accountEvents(sql: Sql, account: string): EventData {
  function select({ after, before, limit }: EventQuery, condition: Fragment): Fragment {
    const below = before === undefined ? sql`` : sql`and id < ${before}`
    return sql`
      (select id, type, created_at, actor, data from events
       where account_id = ${account} and id > ${after} ${below} ${condition}
       ${orderById(before)} limit ${limit + 1})`
  }

  function orderById(before: number | undefined): Fragment {
    return before === undefined ? sql`order by id` : sql`order by id desc`
  }

  return {
    async listEvents(query) {
      const { types, before, limit, maxBytes = MAX_EVENT_PAGE_BYTES } = query
      const byId = orderById(before)
      // Each type is read separately, through an index: otherwise a rare type would require reading all events.
      const parts = types?.map((type) => select(query, sql`and type = ${type}`)) ?? [
        select(query, sql``),
      ]
      const union = parts.reduce((all, part) => sql`${all} union all ${part}`)
      const rows = await sql<EventRow[]>`
        select a.last_event, a.forgotten_event, a.forgotten_event_at,
          (select created_at from events where account_id = a.id and id = ${query.after}) as after_at,
          (select created_at from events where account_id = a.id and id = a.last_event) as last_at,
          e.* from accounts a left join (
          select id, type, created_at, actor, data, found from (
            select *, count(*) over () as found, row_number() over (${byId}) as position,
              sum(octet_length(data::text)) over (${byId}) - octet_length(data::text) as bytes_before
            from (select * from (${union}) e ${byId} limit ${limit + 1}) e
          ) e where position <= ${limit} and bytes_before < ${maxBytes}
        ) e on true
        where a.id = ${account} order by e.id ${before === undefined ? sql`asc` : sql`desc`}`
      return {
        hasMore: (rows[0]?.found ?? 0) > rows.length,
        events: rows.flatMap(({ id, type, created_at: createdAt, actor, data }) =>
          id === null ? [] : [toEvent({ accountId: account, id, type, createdAt, actor, data })],
        ),
        ...toPositions(rows[0], query.after),
      }
    },

    importEvents: ({ events, lastId, forgottenId, forgottenAt }) =>
      begin(sql, async (transaction) => {
        await transaction`
          update accounts set last_event = greatest(last_event, ${lastId}),
            forgotten_event = greatest(forgotten_event, ${forgottenId}),
            forgotten_event_at = case when forgotten_event > ${forgottenId} then forgotten_event_at
              else ${forgottenAt ?? null} end,
            counted_event = 0, event_bytes = 0
          where id = ${account}`
        await transaction`
          insert into events (account_id, id, type, created_at, actor, data)
          select ${account}, id, type, created_at, actor, data from unnest(
            ${events.map(({ id }) => id)}::bigint[], ${events.map(({ type }) => type)}::text[],
            ${events.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[],
            ${events.map(({ actor }) => JSON.stringify(actor))}::text[]::json[],
            ${events.map(storeEventData)}::text[]::json[]
          ) imported (id, type, created_at, actor, data)
          on conflict (account_id, id) do nothing`
      }),
  }
}
