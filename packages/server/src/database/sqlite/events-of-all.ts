import type { EventComparison } from '../event-data.ts'
import type { Connection } from './statement.ts'

interface ForgottenRow {
  account_id: string
  id: number
}

/** The events of all accounts. */
export function prepareEventsOfAll({ prepare, transaction }: Connection) {
  const any = prepare('select 1 from events where created_at < :before limit 1')
  const forget = prepare<ForgottenRow>(
    `delete from events where seq in (
       select seq from events where created_at < :before order by created_at limit :limit)
     returning account_id, id`,
  )
  const mark = prepare(
    'update accounts set forgotten_event = max(forgotten_event, :id) where id = :account',
  )

  const compare = prepare<{ id: string; last: number; highest: number; missing: number }>(
    `select a.id, a.last_event as last, coalesce(max(e.id), 0) as highest,
       a.last_event - a.forgotten_event - count(e.id) filter (where e.id > a.forgotten_event) as missing
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
      const time = before.getTime()
      // A read first: it is much cheaper than a write that changes nothing.
      if (any.get({ before: time }) === undefined) return 0
      return transaction(() => {
        const rows = forget.all({ before: time, limit })
        for (const [account, events] of Map.groupBy(rows, (row) => row.account_id)) {
          mark.run({ account, id: Math.max(...events.map(({ id }) => id)) })
        }
        return rows.length
      })
    },
  }
}
