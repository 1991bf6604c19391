import type { EventType } from '../../domain/event.ts'
import {
  type EventPage,
  type EventQuery,
  type ImportedEvents,
  MAX_EVENT_PAGE_BYTES,
} from '../event-data.ts'
import { toEvent, toPositions } from '../read-event-data.ts'
import { storeEventData } from '../store-event-data.ts'
import type { Connection, Statement } from './statement.ts'

interface EventRow {
  last_event: number
  forgotten_event: number
  after_at: number | null
  last_at: number | null
  forgotten_event_at: number | null
  /** Null if no event was found: then the row has only the columns of the account. */
  id: number | null
  type: EventType
  created_at: number
  actor: string
  data: string
  /** The number of events that were found, including those that the limits leave out of the page. */
  found: number | null
}

export function prepareEvents({ prepare, transaction }: Connection) {
  const setCounters = prepare(
    `update accounts set last_event = max(last_event, :last),
       forgotten_event = max(forgotten_event, :forgotten),
       forgotten_event_at = iif(forgotten_event > :forgotten, forgotten_event_at, :forgotten_at),
       counted_event = 0, event_bytes = 0
     where id = :account`,
  )
  const insert = prepare(
    `insert into events (account_id, id, type, created_at, actor, data)
     values (:account, :id, :type, :created_at, :actor, :data) on conflict do nothing`,
  )

  /**
   * One statement reads the counters and the events, because another process may record and forget events meanwhile. It
   * finds the events by an index, adds up their sizes without reading their data, and then reads only those that fit.
   */
  function select(conditions: string[], order: 'asc' | 'desc'): Statement<EventRow> {
    const byId = `order by id ${order}`
    const parts = conditions.map(
      (condition) => `select * from (select id, seq from events
        where account_id = :account and id > :after and id < :before ${condition}
        ${byId} limit :limit + 1)`,
    )
    return prepare(
      `select a.last_event, a.forgotten_event, a.forgotten_event_at,
         (select created_at from events where account_id = a.id and id = :after) as after_at,
         (select created_at from events where account_id = a.id and id = a.last_event) as last_at,
         e.id, e.type, e.created_at, e.actor, e.data, e.found
       from accounts a left join (
         select events.*, found from (
           select seq, count(*) over () as found, row_number() over (${byId}) as position,
             sum(size) over (${byId}) - size as bytes_before
           from (
             select events.id, seq, octet_length(data) as size
             from (select * from (${parts.join(' union all ')}) ${byId} limit :limit + 1)
             join events using (seq))
         ) join events using (seq)
         where position <= :limit and bytes_before < :max_bytes
       ) e on true
       where a.id = :account order by e.id ${order}`,
    )
  }

  /** Reads each type by an index: otherwise, a query for a rare type would read all events of the account. */
  function read(account: string, query: EventQuery): EventRow[] {
    const { after, before, types, limit, maxBytes = MAX_EVENT_PAGE_BYTES } = query
    const position = {
      account,
      after,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit,
      max_bytes: maxBytes,
    }
    const order = before === undefined ? 'asc' : 'desc'
    if (types === undefined) return select([''], order).all(position)
    const names = types.map((type, index) => [`type${index}`, type] as const)
    const conditions = names.map(([name]) => `and type = :${name}`)
    const statement = select(conditions, order)
    return statement.all({ ...position, ...Object.fromEntries(names) })
  }

  return {
    listEvents(account: string, query: EventQuery): EventPage {
      const rows = read(account, query)
      return {
        hasMore: (rows[0]?.found ?? 0) > rows.length,
        events: rows.flatMap(({ id, type, created_at, actor, data }) =>
          id === null
            ? []
            : [
                toEvent({
                  accountId: account,
                  id,
                  type,
                  createdAt: new Date(created_at),
                  actor,
                  data,
                }),
              ],
        ),
        ...toPositions(rows[0], query.after),
      }
    },

    importEvents(
      account: string,
      { events, lastId, forgottenId, forgottenAt }: ImportedEvents,
    ): void {
      transaction(() => {
        setCounters.run({
          account,
          last: lastId,
          forgotten: forgottenId,
          forgotten_at: forgottenAt?.getTime() ?? null,
        })
        for (const event of events) {
          insert.run({
            account,
            id: event.id,
            type: event.type,
            created_at: event.createdAt.getTime(),
            actor: JSON.stringify(event.actor),
            data: storeEventData(event),
          })
        }
      })
    },
  }
}
