import type {
  AssetEventType,
  EventType,
  ProductEventType,
  UploadEventType,
} from '../../domain/event.ts'
import type { Writer } from '../cache-account-data.ts'
import type { Sql } from './connection.ts'
import { markEvents } from './event-marks.ts'
import { accountSnapshot, assetSnapshot, productSnapshot, uploadSnapshot } from './snapshots.ts'
import type { Fragment } from './statement.ts'

export interface NewEvents {
  type: EventType
  /** As JSON. */
  actor: string
  /** A query with the columns `account_id`, `data` and `position`. Events are numbered in the order of `position`. */
  subjects: Fragment
  /** A statement that runs first. `subjects` reads the rows that it returns from `changed`. */
  changed?: Fragment
}

/**
 * Records events, in the caller's transaction. Locks the accounts, so the caller must lock all products and assets
 * before this call. Returns the number of events.
 */
export async function recordEvents(
  transaction: Sql,
  { type, actor, subjects, changed }: NewEvents,
): Promise<number> {
  const recorded = await transaction<{ account_id: string }[]>`
    with ${changed ? transaction`changed as (${changed}),` : transaction``} subjects as (${subjects}),
    locked as (
      select accounts.id, counts.count from accounts
      join (select account_id, count(*) as count from subjects group by account_id) counts
        on accounts.id = counts.account_id
      order by accounts.id for no key update of accounts
    ), taken as (
      update accounts set last_event = last_event + locked.count from locked
      where accounts.id = locked.id returning accounts.id, last_event - locked.count as before
    )
    insert into events (account_id, id, type, created_at, actor, data)
    select s.account_id, taken.before + row_number() over (partition by s.account_id order by s.position),
      ${type}, clock_timestamp(), ${actor}::text::json, s.data
    from subjects s join taken on taken.id = s.account_id
    returning account_id`
  for (const row of recorded) markEvents(transaction, row.account_id)
  return recorded.length
}

/** Records an event for each of these assets, of any accounts. */
export function recordAssetEvents(
  transaction: Sql,
  actor: string,
  type: AssetEventType,
  ids: string[],
): Promise<void> {
  const rows = transaction`
    select s.account_id, s.id as position, ${assetSnapshot(transaction)} as data from assets s`
  return recordRows(transaction, { type, actor, rows, ids })
}

/** Records an event for each of these uploads, by the IDs of their rows. */
export function recordUploadEvents(
  transaction: Sql,
  actor: string,
  type: UploadEventType,
  ids: string[],
): Promise<void> {
  const rows = transaction`
    select s.account_id, s.id as position, ${uploadSnapshot(transaction)} as data from assets s`
  return recordRows(transaction, { type, actor, rows, ids })
}

/** Records an event for each of these products. */
export function recordProductEvents(
  transaction: Sql,
  actor: string,
  type: ProductEventType,
  ids: string[],
): Promise<void> {
  const rows = transaction`
    select s.account_id, s.id as position, ${productSnapshot(transaction)} as data from products s`
  return recordRows(transaction, { type, actor, rows, ids })
}

interface RowEvents {
  type: EventType
  actor: string
  /** A query of a table `s`, with the columns of `subjects` and without a where clause. */
  rows: Fragment
  ids: string[]
}

/** Records an event for each row with one of these IDs. */
async function recordRows(transaction: Sql, { type, actor, rows, ids }: RowEvents): Promise<void> {
  if (ids.length === 0) return
  const subjects = transaction`${rows} where s.id = any(${ids}::uuid[])`
  await recordEvents(transaction, { type, actor, subjects })
}

/**
 * Records an event with this data. Accesses the account once: a statement that locks the row and then updates it
 * can deadlock with others that wait for the same row, if the row was updated after the statement started.
 */
export async function recordEvent(
  transaction: Sql,
  { account, actor }: Writer,
  type: EventType,
  data: object,
): Promise<void> {
  await transaction`
    with taken as (
      update accounts set last_event = last_event + 1 where id = ${account} returning id, last_event
    )
    insert into events (account_id, id, type, created_at, actor, data)
    select id, last_event, ${type}, clock_timestamp(), ${actor}::text::json,
      ${JSON.stringify(data)}::text::json
    from taken`
  markEvents(transaction, account)
}

/** Records that the plan is almost used up, if these additional bytes made the usage cross 90 % of it. */
export async function recordStorageLow(
  transaction: Sql,
  { account, actor }: Writer,
  growth: number,
): Promise<void> {
  if (growth <= 0) return
  const subjects = transaction`
    select s.id as account_id, 1 as position, ${accountSnapshot(transaction)} as data
    from accounts s where s.id = ${account} and (stored_bytes + reserved_bytes) * 10 >= plan_storage * 9
      and (stored_bytes + reserved_bytes - ${growth}::bigint) * 10 < plan_storage * 9`
  await recordEvents(transaction, { type: 'account.storage_low', actor, subjects })
}
