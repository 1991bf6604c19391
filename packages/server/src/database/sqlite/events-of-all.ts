import { MAX_FUTURE_MS } from '../claim-times.ts'
import type { EventComparison } from '../event-data.ts'
import {
  budgetOf,
  countEvents,
  EVENT_OVERHEAD,
  type EventCounters,
  type EventLimits,
  type EventSize,
  selectForgotten,
  type TrimmedEvents,
} from '../trim-events.ts'
import type { Connection } from './statement.ts'

const SIZE = `octet_length(data) + ${EVENT_OVERHEAD}`

/** The events of all accounts. */
export function prepareEventsOfAll({ prepare, transaction }: Connection) {
  const toTrim = prepare<{ id: string }>(
    `select id from accounts a where id > :after and (counted_event < last_event
       or event_bytes > coalesce(:max_bytes, max(${budgetOf(undefined, 0)}, plan_storage / 100))
       or exists (select 1 from (select created_at from events where account_id = a.id order by id limit 1)
         where created_at < :before or created_at > :latest))
     order by id limit :limit`,
  )
  const counters = prepare<EventCounters>(
    `select last_event as lastId, counted_event as countedId, event_bytes as bytes,
       plan_storage as planStorage, (
         select min((select min(event_id) from deliveries where webhook_id = w.id and status = 'pending'))
         from webhooks w where w.account_id = :account) as neededId
     from accounts where id = :account`,
  )
  const sizes = prepare<EventSize>(
    `select id, created_at as createdAt, ${SIZE} as bytes from events
     where account_id = :account and id > :after order by id limit :limit`,
  )
  const forget = prepare('delete from events where account_id = :account and id <= :last')
  const setCounters = prepare(
    `update accounts set counted_event = :counted, event_bytes = :bytes,
       forgotten_event = max(forgotten_event, :forgotten),
       forgotten_event_at = iif(:forgotten > forgotten_event, :forgotten_at, forgotten_event_at)
     where id = :account`,
  )

  const compare = prepare<EventComparison>(
    `select a.id as accountId, a.last_event as lastId, coalesce(max(e.id), 0) as highestId,
       max(a.last_event, coalesce(max(e.id), 0)) - a.forgotten_event
         - count(e.id) filter (where e.id > a.forgotten_event) as missing,
       a.event_bytes as countedBytes,
       coalesce(sum(${SIZE}) filter (where e.id <= a.counted_event), 0) as actualBytes
     from accounts a left join events e on e.account_id = a.id group by a.id order by a.id`,
  )
  const repair = prepare(
    `with ids as (
       select id, id - lag(id, 1, 0) over (order by id) as distance
       from events where account_id = :account
     ), repaired as (
       select coalesce(max(id), 0) as last, coalesce(max(id - 1) filter (where distance > 1), 0) as gap
       from ids
     )
     update accounts set last_event = max(last_event, last), forgotten_event = iif(
       last < last_event, last_event, max(forgotten_event, gap)),
       forgotten_event_at = iif(
         forgotten_event = iif(last < last_event, last_event, max(forgotten_event, gap)),
         forgotten_event_at, null),
       counted_event = max(last_event, last),
       event_bytes = (select coalesce(sum(${SIZE}), 0) from events where account_id = :account)
     from repaired where accounts.id = :account`,
  )

  return {
    compareEvents: (): EventComparison[] => compare.all().map((row) => ({ ...row })),

    repairEvents(account: string): void {
      repair.run({ account })
    },

    listAccountsToTrim({ before, maxBytes }: EventLimits, after = '', limit: number): string[] {
      const times = { before: before?.getTime() ?? 0, latest: Date.now() + MAX_FUTURE_MS }
      const rows = toTrim.all({ ...times, max_bytes: maxBytes ?? null, after, limit })
      return rows.map(({ id }) => id)
    },

    trimEvents(account: string, { before, maxBytes }: EventLimits, batch: number): TrimmedEvents {
      return transaction(() => {
        const stored = counters.get({ account })
        if (stored === undefined) return { forgotten: 0, hasMore: false }
        const added = sizes.all({ account, after: stored.countedId, limit: batch })
        const counted = countEvents(stored, added, batch)
        const budget = budgetOf(maxBytes, counted.planStorage)
        const isChecked = before !== undefined || counted.bytes > budget
        const oldest = isChecked ? sizes.all({ account, after: 0, limit: batch }) : []
        const latest = Date.now() + MAX_FUTURE_MS
        const { count, bytes } = selectForgotten(counted, oldest, { before, latest, budget })
        const { id: last = 0, createdAt: lastAt = null } = oldest[count - 1] ?? {}
        if (count > 0) forget.run({ account, last })
        if (count > 0 || counted.countedId !== stored.countedId) {
          const left = counted.bytes - bytes
          setCounters.run({
            account,
            counted: counted.countedId,
            bytes: left,
            forgotten: last,
            forgotten_at: lastAt,
          })
        }
        return { forgotten: count, hasMore: count === batch || added.length === batch }
      })
    },
  }
}
