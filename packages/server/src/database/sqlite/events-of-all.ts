import { MAX_FUTURE_MS } from '../claim-times.ts'
import type { EventComparison } from '../event-data.ts'
import type { Connection } from './statement.ts'

interface ForgottenRow {
  account_id: string
  id: number
}

/** The events of all accounts. */
export function prepareEventsOfAll({ prepare, transaction }: Connection) {
  const oldest = prepare<{ seq: number; created_at: number }>(
    'select seq, created_at from events order by seq limit :limit',
  )
  const forget = prepare<ForgottenRow>(
    'delete from events where seq <= :last returning account_id, id',
  )
  const mark = prepare(
    'update accounts set forgotten_event = max(forgotten_event, :id) where id = :account',
  )

  const compare = prepare<{ id: string; last: number; highest: number; missing: number }>(
    `select a.id, a.last_event as last, coalesce(max(e.id), 0) as highest,
       max(a.last_event, coalesce(max(e.id), 0)) - a.forgotten_event
         - count(e.id) filter (where e.id > a.forgotten_event) as missing
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
       last < last_event, last_event, max(forgotten_event, gap))
     from repaired where accounts.id = :account`,
  )

  return {
    compareEvents: (): EventComparison[] =>
      compare.all().map(({ id, last, highest, missing }) => {
        return { accountId: id, lastId: last, highestId: highest, missing }
      }),

    repairEvents(account: string): void {
      repair.run({ account })
    },

    forgetEvents(before: Date, limit: number): number {
      const [earliest, latest] = [before.getTime(), Date.now() + MAX_FUTURE_MS]
      const rows = oldest.all({ limit })
      const kept = rows.findIndex(({ created_at: time }) => time >= earliest && time <= latest)
      const last = rows.at(kept === -1 ? rows.length - 1 : kept - 1)
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (kept === 0 || last === undefined) return 0
      return transaction(() => {
        const forgotten = forget.all({ last: last.seq })
        for (const [account, events] of Map.groupBy(forgotten, (row) => row.account_id)) {
          mark.run({ account, id: Math.max(...events.map(({ id }) => id)) })
        }
        return forgotten.length
      })
    },
  }
}
