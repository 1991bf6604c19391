import type {
  AssetChangeType,
  AssetEventType,
  AssetReplacement,
  AssetUpdate,
  AttachedProduct,
  AttachmentEventType,
  EventType,
  UploadEventType,
} from '../../domain/event.ts'
import { storedFolder } from '../../domain/names.ts'
import type { NewUpload } from '../account-data.ts'
import {
  type EventComparison,
  type EventLimits,
  type EventPage,
  type EventQuery,
  type EventSearch,
  type FoundEvents,
  type ImportedEvents,
  MAX_EVENT_PAGE_BYTES,
  type TrimmedEvents,
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
  type StoredUpload,
  selectForgotten,
  storeActor,
  storeEventData,
  toEventPage,
  toFoundEvents,
  wordFilters,
} from '../shared/events.ts'
import type { RunStep } from '../shared/time-slicer.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection, Statement } from './connection.ts'
import type { UploadRow } from './rows.ts'

/**
 * Records events, in the caller's transaction. `id` is the account's `last_event`, if the caller has incremented it
 * with its own statement: the most frequent changes do so.
 */
export function prepareRecordEvents({ prepare, addNotice }: Connection) {
  const take = prepare<{ last_event: number }>(
    'update accounts set last_event = last_event + 1 where id = :account returning last_event',
  )
  const columns = 'events (account_id, id, type, created_at, actor, data)'
  const insert = prepare(
    `insert into ${columns} values (:account, :id, :type, :now, :actor, :data)`,
  )
  const insertAsset = prepare(
    `insert into ${columns} select :account, :id, :type, :now, :actor, json_object(${ASSET_SNAPSHOT})
     from assets where seq = :seq`,
  )
  const newlyLow = prepare<object>(
    `select name, plan_name as planName, plan_assets as planAssets, plan_storage as "limit", stored_bytes as stored,
       reserved_bytes as reserved, trash_bytes as trash, asset_count as assets
     from accounts where id = :account and (stored_bytes + reserved_bytes) * 10 >= plan_storage * 9
       and (stored_bytes + reserved_bytes - :growth) * 10 < plan_storage * 9`,
  )

  function takeId({ account }: Writer): number {
    const id = take.get({ account })?.last_event
    if (id === undefined) throw new Error(`there is no account ${account}`)
    return id
  }

  function headOf({ account, actor }: Writer, type: EventType, id: number) {
    addNotice(account)
    return { account, actor, type, id, now: Date.now() }
  }

  function recordEvent(
    writer: Writer,
    type: EventType,
    data: object,
    id: number = takeId(writer),
  ): void {
    insert.run({ ...headOf(writer, type, id), data: JSON.stringify(data) })
  }

  /** `more` are further members of the data. */
  function recordAssetWith(
    writer: Writer,
    type: EventType,
    seq: number,
    more: Record<string, unknown>,
  ): void {
    const members = Object.keys(more).map((name) => `, '${name}', json(:${name})`)
    const insertWith = prepare(
      `insert into ${columns} select :account, :id, :type, :now, :actor,
         json_object(${ASSET_SNAPSHOT}${members.join('')}) from assets where seq = :seq`,
    )
    const values = Object.entries(more).map(([name, value]) => [name, JSON.stringify(value)])
    insertWith.run({
      ...headOf(writer, type, takeId(writer)),
      seq,
      ...Object.fromEntries(values),
    })
  }

  return {
    recordEvent,

    recordAsset(
      writer: Writer,
      type: Exclude<AssetEventType, AssetChangeType>,
      seq: number,
      id: number = takeId(writer),
    ): void {
      insertAsset.run({ ...headOf(writer, type, id), seq })
    },

    recordUpdate(writer: Writer, seq: number, update: AssetUpdate): void {
      recordAssetWith(writer, 'asset.updated', seq, { ...update })
    },

    recordReplacement(writer: Writer, seq: number, replacement: AssetReplacement): void {
      recordAssetWith(writer, 'asset.replaced', seq, { ...replacement })
    },

    recordDamage(writer: Writer, { seq, version }: { seq: number; version: number }): void {
      recordAssetWith(writer, 'asset.damaged', seq, { damagedVersion: version })
    },

    recordAttachment(
      writer: Writer,
      type: AttachmentEventType,
      { seq, products }: { seq: number; products: AttachedProduct[] },
    ): void {
      recordAssetWith(writer, type, seq, { products })
    },

    recordUpload(writer: Writer, type: UploadEventType, row: UploadRow): void {
      recordEvent(writer, type, uploadSnapshot(row))
    },

    /** Records that the plan is almost used up, if these additional bytes made the usage cross 90 % of it. */
    recordStorageLow(writer: Writer, growth: number): void {
      if (growth <= 0) return
      const row = newlyLow.get({ account: writer.account, growth })
      if (row !== undefined) recordEvent(writer, 'account.storage_low', row)
    },
  }
}

/** The names and values of the JSON object of an asset, from its row. `toEvent` reads it. */
const ASSET_SNAPSHOT = `'id', id, 'kind', kind, 'status', status, 'filename', filename, 'bytes', bytes, 'mime', mime,
  'url', url, 'createdAt', created_at, 'updatedAt', coalesce(updated_at, created_at), 'version', version,
  'folder', folder, 'tags', json(tags), 'isInline', inline, 'trashedAt', trashed_at, 'checksum', json((
    select json_array(c.sha256, c.verified_at, c.damaged) from checksums c
    where c.object_key = coalesce(assets.object_key, assets.id)))`

function uploadSnapshot(row: UploadRow): StoredUpload {
  return {
    id: row.replaces ?? row.id,
    uploadId: row.upload_id,
    isReplacement: row.replaces !== null,
    filename: row.filename,
    folder: row.folder,
    tags: row.tags === null ? null : JSON.parse(row.tags),
    bytes: row.bytes,
    mime: row.mime,
    chunkSize: row.chunk_size,
    startedById: row.started_by_id,
    startedByName: row.started_by_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

/** The snapshot of an upload that was just requested. */
export function newUploadSnapshot(upload: NewUpload['upload'], expiresAt: number): StoredUpload {
  const { asset, replaces, startedBy } = upload
  return {
    id: replaces?.assetId ?? asset.id,
    uploadId: upload.id,
    isReplacement: replaces !== null,
    filename: asset.filename,
    folder: storedFolder(asset.path),
    tags: asset.tags,
    bytes: asset.bytes,
    mime: asset.mime,
    chunkSize: upload.chunkSize,
    startedById: startedBy?.id ?? null,
    startedByName: startedBy?.name ?? null,
    createdAt: asset.createdAt.getTime(),
    expiresAt,
  }
}

export function prepareEvents({ prepare, transaction }: Connection, runStep: RunStep) {
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
  function select(conditions: string[], order: Order): Statement<EventRow> {
    const byId = `order by id ${order}`
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
             from (${idsOf(conditions, order, ':limit + 1')})
             join events using (seq))
         ) join events using (seq)
         where position <= :limit and bytes_before < :max_bytes
       ) e on true
       where a.id = :account order by e.id ${order}`,
    )
  }

  function read(account: string, query: EventQuery): EventRow[] {
    const { after, before, types, limit, maxBytes = MAX_EVENT_PAGE_BYTES } = query
    const { conditions, parameters } = conditionsOf(types)
    return select(conditions, before === undefined ? 'asc' : 'desc').all({
      account,
      after,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit,
      max_bytes: maxBytes,
      ...parameters,
    })
  }

  /** The last event that a call examines; undefined if there are fewer. */
  function endOf(account: string, search: EventSearch) {
    const { after, before, order, types, maxExamined } = search
    const { conditions, parameters } = searchedTypes(types)
    const end = prepare<{ id: number; created_at: number }>(
      `select id, created_at from (
         select seq from (${idsOf(conditions, order, ':examined')}) limit 1 offset :examined - 1
       ) join events using (seq)`,
    ).get({ account, after, before, examined: maxExamined, ...parameters })
    return end && { id: end.id, createdAt: new Date(end.created_at) }
  }

  function find(account: string, search: EventSearch): FoundEvents {
    const { order, types } = search
    const end = endOf(account, search)
    const { conditions, parameters } = searchedTypes(types)
    const filter = filterOf(search)
    const matching = conditions.map((condition) => `${condition} ${filter.condition}`)
    const rows = select(matching, order).all({
      account,
      ...rangeUntil(search, end),
      limit: rowLimitOf(search),
      max_bytes: MAX_EVENT_PAGE_BYTES,
      ...parameters,
      ...filter.parameters,
    })
    return toFoundEvents(rows, account, search, end)
  }

  return {
    listEvents({ account }: Writer, query: EventQuery): EventPage {
      const rows = read(account, query)
      return toEventPage(rows, account, query.after)
    },

    findEvents: ({ account }: Writer, search: EventSearch): Promise<FoundEvents> =>
      runStep(account, () => find(account, search)),

    importEvents(
      { account }: Writer,
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
            actor: storeActor(event.actor, event.call),
            data: storeEventData(event),
          })
        }
      })
    },
  }
}

type Order = EventSearch['order']

interface Conditions {
  /** Each of them is read by an index of its own. */
  conditions: string[]
  parameters: Record<string, string>
}

/** Reads each type by an index: otherwise, a query for a rare type would read all events of the account. */
function conditionsOf(types: EventType[] | undefined): Conditions {
  const names = types?.map((type, index) => [`type${index}`, type] as const)
  return {
    conditions: names?.map(([name]) => `and type = :${name}`) ?? [''],
    parameters: Object.fromEntries(names ?? []),
  }
}

function searchedTypes(types: EventType[] | undefined): Conditions {
  const { conditions, parameters } = conditionsOf(types)
  if (types === undefined || !areMostTypes(types)) return { conditions, parameters }
  const names = Object.keys(parameters).map((name) => `:${name}`)
  // With the plus, SQLite does not use the index by type.
  return { conditions: [`and +type in (${names.join(', ')})`], parameters }
}

/** The `id` and `seq` of the first events that meet one of the conditions. */
function idsOf(conditions: string[], order: Order, limit: string): string {
  const first = `order by id ${order} limit ${limit}`
  const parts = conditions.map(
    (condition) => `select * from (select id, seq from events
      where account_id = :account and id > :after and id < :before ${condition} ${first})`,
  )
  return `select * from (${parts.join(' union all ')}) ${first}`
}

/** A condition that events must meet to match, and that a few others may meet too. */
function filterOf({ actor = {}, words }: EventSearch) {
  const parameters: Record<string, string> = {}
  const conditions: string[] = []
  for (const [name, value] of Object.entries(actor)) {
    if (value === undefined) continue
    conditions.push(`and actor ->> '${name}' = :actor_${name}`)
    parameters[`actor_${name}`] = value
  }
  for (const [index, pattern] of wordFilters(words).entries()) {
    const isUnicode = 'octet_length(data) <> length(data)'
    if (pattern === null) conditions.push(`and ${isUnicode}`)
    else {
      conditions.push(`and (data like :like${index} escape '\\' or ${isUnicode})`)
      parameters[`like${index}`] = pattern
    }
  }
  return { condition: conditions.join(' '), parameters }
}

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
     where account_id = :account and id > :after order by id limit +:limit`,
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
