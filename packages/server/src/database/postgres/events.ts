import type {
  AssetChangeType,
  AssetEventType,
  AssetReplacement,
  AssetUpdate,
  EventType,
  ProductEventType,
  UploadEventType,
} from '../../domain/event.ts'
import { pathOfStored } from '../../domain/names.ts'
import {
  type EventComparison,
  type EventSearch,
  type FoundEvents,
  MAX_EVENT_PAGE_BYTES,
} from '../event-data.ts'
import { MAX_FUTURE_MS } from '../shared/claim-times.ts'
import {
  areMostTypes,
  budgetOf,
  countEvents,
  EVENT_OVERHEAD,
  type EventCounters,
  type EventRow,
  type EventSize,
  rangeUntil,
  rowLimitOf,
  selectForgotten,
  storeActor,
  storeEventData,
  toEventPage,
  toFoundEvents,
  wordFilters,
} from '../shared/events.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { type Fragment, inTransaction, type Sql } from './connection.ts'
import { FIRST_ID } from './rows.ts'
import { addNotice } from './unit-of-work.ts'

interface NewEvents {
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
  sql: Sql,
  { type, actor, subjects, changed }: NewEvents,
): Promise<number> {
  const recorded = await sql<{ account_id: string }[]>`
    with ${changed ? sql`changed as (${changed}),` : sql``} subjects as (${subjects}),
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
  for (const row of recorded) addNotice(sql, row.account_id)
  return recorded.length
}

/**
 * Runs a statement that records events of the account, and needs no transaction. Its `count` is the number of events: the
 * statement ends with `insert into events`.
 */
export async function runAndMark<Rows extends { count: number }>(
  sql: Sql,
  account: string,
  statement: PromiseLike<Rows>,
): Promise<Rows> {
  try {
    const rows = await statement
    if (rows.count > 0) addNotice(sql, account)
    return rows
  } catch (error) {
    // If the connection was lost, the statement may have been committed.
    addNotice(sql, account)
    throw error
  }
}

/** Records an event for each of these assets, of any accounts, in the caller's transaction. */
export function recordAssetEvents(
  sql: Sql,
  actor: string,
  type: Exclude<AssetEventType, AssetChangeType>,
  ids: string[],
): Promise<void> {
  const rows = sql`
    select s.account_id, s.id as position, ${assetSnapshot(sql)} as data from assets s`
  return recordRows(sql, { type, actor, rows, ids })
}

type AssetChange =
  | ({ type: 'asset.updated' } & AssetUpdate)
  | ({ type: 'asset.replaced' } & AssetReplacement)

/** Records a change of an asset, in the caller's transaction. */
export function recordChange(
  sql: Sql,
  actor: string,
  id: string,
  { type, ...change }: AssetChange,
): Promise<void> {
  const members = Object.entries(change).map(
    ([name, value]) => sql`${name}::text, ${JSON.stringify(value)}::text::json`,
  )
  const more = members.reduce((all, member) => sql`${all}, ${member}`)
  const rows = sql`
    select s.account_id, s.id as position, ${assetSnapshot(sql, more)} as data from assets s`
  return recordRows(sql, { type, actor, rows, ids: [id] })
}

/** Records that these assets are in another folder, in the caller's transaction. `folder` is the previous one. */
export function recordMoves(
  sql: Sql,
  actor: string,
  assets: { id: string; folder: string | null }[],
): Promise<void> {
  const ids = assets.map(({ id }) => id)
  const paths = assets.map(({ folder }) => pathOfStored(folder))
  const previous = sql`'previous', json_build_object('path', moved.path)`
  const rows = sql`
    select s.account_id, s.id as position, ${assetSnapshot(sql, previous)} as data
    from assets s join unnest(${ids}::uuid[], ${paths}::text[]) moved (id, path) on moved.id = s.id`
  return recordRows(sql, { type: 'asset.updated', actor, rows, ids })
}

/** Records that these assets have other tags, in the caller's transaction. `before` are the previous ones. */
export function recordTags(
  sql: Sql,
  actor: string,
  assets: { id: string; before: string[] }[],
): Promise<void> {
  const ids = assets.map(({ id }) => id)
  const tags = assets.map(({ before }) => JSON.stringify(before))
  const previous = sql`'previous', json_build_object('tags', changed.tags::json)`
  const rows = sql`
    select s.account_id, s.id as position, ${assetSnapshot(sql, previous)} as data
    from assets s join unnest(${ids}::uuid[], ${tags}::text[]) changed (id, tags) on changed.id = s.id`
  return recordRows(sql, { type: 'asset.updated', actor, rows, ids })
}

/** Records an event for each of these uploads, by the IDs of their rows, in the caller's transaction. */
export function recordUploadEvents(
  sql: Sql,
  actor: string,
  type: UploadEventType,
  ids: string[],
): Promise<void> {
  const rows = sql`
    select s.account_id, s.id as position, ${uploadSnapshot(sql)} as data from assets s`
  return recordRows(sql, { type, actor, rows, ids })
}

/** Records an event for each of these products, in the caller's transaction. */
export function recordProductEvents(
  sql: Sql,
  actor: string,
  type: ProductEventType,
  ids: string[],
): Promise<void> {
  const rows = sql`
    select s.account_id, s.id as position, ${productSnapshot(sql)} as data from products s`
  return recordRows(sql, { type, actor, rows, ids })
}

interface RowEvents {
  type: EventType
  actor: string
  /** A query of a table `s`, with the columns of `subjects` and without a where clause. */
  rows: Fragment
  ids: string[]
}

/** Records an event for each row with one of these IDs. */
async function recordRows(sql: Sql, { type, actor, rows, ids }: RowEvents): Promise<void> {
  if (ids.length === 0) return
  const subjects = sql`${rows} where s.id = any(${ids}::uuid[])`
  await recordEvents(sql, { type, actor, subjects })
}

/**
 * Records an event with this data, in the caller's transaction. Accesses the account once: a statement that locks the
 * row and then updates it can deadlock with others that wait for the same row, if the row was updated after the
 * statement started.
 */
export async function recordEvent(
  sql: Sql,
  { account, actor }: Writer,
  type: EventType,
  data: object,
): Promise<void> {
  await sql`
    with taken as (
      update accounts set last_event = last_event + 1 where id = ${account} returning id, last_event
    )
    insert into events (account_id, id, type, created_at, actor, data)
    select id, last_event, ${type}, clock_timestamp(), ${actor}::text::json,
      ${JSON.stringify(data)}::text::json
    from taken`
  addNotice(sql, account)
}

/** Records that the plan is almost used up, if these additional bytes made the usage cross 90 % of it. */
export async function recordStorageLow(
  sql: Sql,
  { account, actor }: Writer,
  growth: number,
): Promise<void> {
  if (growth <= 0) return
  const subjects = sql`
    select s.id as account_id, 1 as position, ${accountSnapshot(sql)} as data
    from accounts s where s.id = ${account} and (stored_bytes + reserved_bytes) * 10 >= plan_storage * 9
      and (stored_bytes + reserved_bytes - ${growth}::bigint) * 10 < plan_storage * 9`
  await recordEvents(sql, { type: 'account.storage_low', actor, subjects })
}

/*
 * The data of events as JSON, from the row `s` of a statement. `toEvent` reads it.
 */

const ASSET_FIELDS = `'id', s.id, 'kind', s.kind, 'status', s.status, 'filename', s.filename,
  'bytes', s.bytes, 'mime', s.mime, 'url', s.url, 'createdAt', s.created_at,
  'updatedAt', coalesce(s.updated_at, s.created_at), 'version', s.version, 'folder', s.folder,
  'tags', s.tags, 'isInline', s.inline, 'trashedAt', s.trashed_at, 'checksum', (
    select json_build_array(c.sha256, c.verified_at, c.damaged) from checksums c
    where c.object_key = coalesce(s.object_key, s.id))`

/** `more` are further names and values. */
export function assetSnapshot(sql: Sql, more?: Fragment): Fragment {
  const fields = sql.unsafe(ASSET_FIELDS)
  return more === undefined
    ? sql`json_build_object(${fields})`
    : sql`json_build_object(${fields}, ${more})`
}

export function uploadSnapshot(sql: Sql): Fragment {
  return sql`json_build_object('id', coalesce(s.replaces, s.id), 'uploadId', s.upload_id,
    'isReplacement', s.replaces is not null, 'filename', s.filename, 'folder', s.folder, 'tags', s.tags,
    'bytes', s.bytes, 'mime', s.mime, 'chunkSize', s.chunk_size, 'startedById', s.started_by_id,
    'startedByName', s.started_by_name, 'createdAt', s.created_at, 'expiresAt', s.expires_at)`
}

function productSnapshot(sql: Sql): Fragment {
  return sql`json_build_object('id', s.id, 'productId', s.product_id, 'variantId', s.variant_id,
    'name', s.name, 'variantName', s.variant_name, 'sku', s.sku, 'vendor', s.vendor, 'tags', s.tags)`
}

export function accountSnapshot(sql: Sql): Fragment {
  return sql`json_build_object('name', s.name, 'planName', s.plan_name, 'planAssets', s.plan_assets, 'limit', s.plan_storage,
    'stored', s.stored_bytes, 'reserved', s.reserved_bytes, 'trash', s.trash_bytes,
    'assets', s.asset_count)`
}

interface Range extends Pick<EventSearch, 'after' | 'order' | 'types' | 'limit'> {
  before?: number | undefined
}

export function accountEvents(sql: Sql, account: string): AccountMethods['events'] {
  /** The first events of a range. Each type is read by an index: otherwise, a rare type would require reading all events. */
  function select(
    range: Range,
    columns: Fragment,
    conditions: Fragment[],
    filter = sql``,
  ): Fragment {
    const { after, before, order, limit } = range
    const below = before === undefined ? sql`` : sql`and id < ${before}`
    const first = sql`${orderById(order)} limit ${limit}`
    const parts = conditions.map(
      (condition) => sql`
        (select ${columns} from events
         where account_id = ${account} and id > ${after} ${below} ${condition} ${filter} ${first})`,
    )
    const union = parts.reduce((all, part) => sql`${all} union all ${part}`)
    return sql`select * from (${union}) e ${first}`
  }

  function orderById(order: Range['order']): Fragment {
    return order === 'asc' ? sql`order by id` : sql`order by id desc`
  }

  function conditionsOf(types: EventType[] | undefined): Fragment[] {
    return types?.map((type) => sql`and type = ${type}`) ?? [sql``]
  }

  function searchedTypes(types: EventType[] | undefined): Fragment[] {
    if (types === undefined || !areMostTypes(types)) return conditionsOf(types)
    // With the expression, PostgreSQL does not use the index by type.
    return [sql`and type || '' = any(${types})`]
  }

  function readRows(
    range: Range,
    {
      maxBytes,
      conditions,
      filter,
    }: { maxBytes: number; conditions: Fragment[]; filter?: Fragment },
  ): PromiseLike<EventRow[]> {
    const { after, order, limit } = range
    const byId = orderById(order)
    const columns = sql`id, type, created_at, actor, data`
    return sql<EventRow[]>`
      select a.last_event, a.forgotten_event, a.forgotten_event_at,
        (select created_at from events where account_id = a.id and id = ${after}) as after_at,
        (select created_at from events where account_id = a.id and id = a.last_event) as last_at,
        e.* from accounts a left join (
        select id, type, created_at, actor, data, found from (
          select *, count(*) over () as found, row_number() over (${byId}) as position,
            sum(octet_length(data::text)) over (${byId}) - octet_length(data::text) as bytes_before
          from (${select({ ...range, limit: limit + 1 }, columns, conditions, filter)}) e
        ) e where position <= ${limit} and bytes_before < ${maxBytes}
      ) e on true
      where a.id = ${account} order by e.id ${order === 'asc' ? sql`asc` : sql`desc`}`
  }

  /** The last event that a call examines; undefined if there are fewer. */
  async function endOf(search: EventSearch): Promise<FoundEvents['examined']> {
    const { order, types, maxExamined } = search
    const range = { ...search, limit: maxExamined }
    const [end] = await sql<{ id: number; createdAt: Date }[]>`
      select id, created_at as "createdAt" from events where account_id = ${account} and id = (
        select id from (${select(range, sql`id`, searchedTypes(types))}) ids
        ${orderById(order)} offset ${maxExamined - 1} limit 1)`
    return end && { ...end }
  }

  return {
    async listEvents({ before, types, limit, after, maxBytes = MAX_EVENT_PAGE_BYTES }) {
      const order = before === undefined ? 'asc' : 'desc'
      const conditions = conditionsOf(types)
      const rows = await readRows({ after, before, order, limit }, { maxBytes, conditions })
      return toEventPage(rows, account, after)
    },

    async findEvents(search) {
      const { order, types } = search
      const end = await endOf(search)
      const range = { ...rangeUntil(search, end), order, limit: rowLimitOf(search) }
      const conditions = searchedTypes(types)
      const filter = filterOf(sql, search)
      const maxBytes = MAX_EVENT_PAGE_BYTES
      const rows = await readRows(range, { maxBytes, conditions, filter })
      return toFoundEvents(rows, account, search, end)
    },

    importEvents: ({ events, lastId, forgottenId, forgottenAt }) =>
      inTransaction(sql, async () => {
        await sql`
          update accounts set last_event = greatest(last_event, ${lastId}),
            forgotten_event = greatest(forgotten_event, ${forgottenId}),
            forgotten_event_at = case when forgotten_event > ${forgottenId} then forgotten_event_at
              else ${forgottenAt ?? null} end,
            counted_event = 0, event_bytes = 0
          where id = ${account}`
        await sql`
          insert into events (account_id, id, type, created_at, actor, data)
          select ${account}, id, type, created_at, actor, data from unnest(
            ${events.map(({ id }) => id)}::bigint[], ${events.map(({ type }) => type)}::text[],
            ${events.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[],
            ${events.map(({ actor, call }) => storeActor(actor, call))}::text[]::json[],
            ${events.map(storeEventData)}::text[]::json[]
          ) imported (id, type, created_at, actor, data)
          on conflict (account_id, id) do nothing`
      }),
  }
}

/** A condition that events must meet to match, and that a few others may meet too. */
function filterOf(sql: Sql, { actor = {}, words }: EventSearch): Fragment {
  const { type, id, name } = actor
  const members = Object.entries({ type, id, name }).filter(([, value]) => value !== undefined)
  const actors = members.map(([key, value]) => sql`and actor ->> ${key}::text = ${value ?? ''}`)
  // With this collation, ILIKE only folds ASCII letters, in every database.
  const text = sql`data::text collate "C"`
  const isUnicode = sql`octet_length(data::text) <> length(data::text)`
  const texts = wordFilters(words).map((pattern) =>
    pattern === null ? sql`and ${isUnicode}` : sql`and (${text} ilike ${pattern} or ${isUnicode})`,
  )
  return [...actors, ...texts].reduce((all, condition) => sql`${all} ${condition}`, sql``)
}

/** The events of all accounts. Instances may call this concurrently. */
export function globalEvents(sql: Sql): DatabaseMethods['events'] {
  const size = sql`octet_length(data::text) + ${EVENT_OVERHEAD}::bigint`

  return {
    async listAccountsToTrim({ before, maxBytes }, after = FIRST_ID, limit) {
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
      inTransaction(sql, async () => {
        // Holds the row, so that no other instance counts or forgets the same events.
        const [stored] = await sql<(EventCounters & { now: Date })[]>`
          select last_event as "lastId", counted_event as "countedId", event_bytes as bytes,
            plan_storage as "planStorage", now() as now, (
              select min((select min(event_id) from deliveries
                where webhook_id = w.id and status = 'pending'))
              from webhooks w where w.account_id = ${account}) as "neededId"
          from accounts where id = ${account} for no key update`
        if (stored === undefined) return { forgotten: 0, hasMore: false }
        const { now, ...counters } = stored
        const readSizes = async (after: number) => {
          const rows = await sql<(Omit<EventSize, 'createdAt'> & { created_at: Date })[]>`
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
          await sql`delete from events where account_id = ${account} and id <= ${last}`
        }
        if (count > 0 || counted.countedId !== counters.countedId) {
          await sql`
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
