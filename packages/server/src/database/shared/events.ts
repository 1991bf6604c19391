import type { Asset, Integrity } from '../../domain/asset.ts'
import { UnreadableEvent } from '../../domain/errors.ts'
import {
  type AttachedProduct,
  type Event,
  type EventActor,
  type EventAsset,
  type EventType,
  type EventUpload,
  jobActor,
  OPERATOR,
  type PreviousAsset,
  previousValues,
} from '../../domain/event.ts'
import { matchesWords } from '../../domain/event-filter.ts'
import { pathOfStored, storedFolder } from '../../domain/names.ts'
import type { EventPage, EventSearch, FoundEvents } from '../event-data.ts'

/** A time as text, or in milliseconds. */
type Time = string | number

/** The data of an event of an asset, as both engines store it in JSON. */
interface StoredAsset
  extends Omit<
    EventAsset,
    | 'accountId'
    | 'createdAt'
    | 'updatedAt'
    | 'path'
    | 'tags'
    | 'isInline'
    | 'integrity'
    | 'trashedAt'
  > {
  /** Undefined in events of version 0.2.0. Null: none. */
  tags?: string[] | null
  /** Undefined in events of version 0.2.0. */
  isInline?: boolean | number
  createdAt: Time
  updatedAt: Time
  folder: string | null
  trashedAt: Time | null
  /** The digest, when it was verified, and whether the object is damaged. */
  checksum: [string | null, Time | null, boolean | number] | null
  damagedVersion?: number
  products?: AttachedProduct[]
  previous?: PreviousAsset
  repairedVersion?: number
  isRestored?: boolean
}

export interface StoredUpload
  extends Omit<
    EventUpload,
    'path' | 'tags' | 'startedBy' | 'createdAt' | 'expiresAt' | 'isReplacement'
  > {
  /** As in `StoredAsset`. */
  tags?: string[] | null
  isReplacement: boolean | number
  folder: string | null
  startedById: string | null
  startedByName: string | null
  createdAt: Time
  expiresAt: Time
}

interface StoredEvent {
  accountId: string
  id: number
  type: EventType
  createdAt: Date
  /** Parsed JSON, or its text. */
  actor: EventActor | string
  data: unknown
}

/** The JSON of who made a change, and by which call. Most calls have no `call`, and events of version 0.2.0 have none. */
export function storeActor({ type, id, name }: EventActor, call?: string | null): string {
  return JSON.stringify({ type, id, name, ...(call && { call }) })
}

/** Throws `UnreadableEvent`. */
export function toEvent({ accountId, actor: stored, data, ...event }: StoredEvent): Event {
  try {
    const read = readEventData(accountId, event.type, parse(data))
    const { call = null, ...actor } = parse(stored) as EventActor & { call?: string }
    return { ...event, actor, call, data: read } as Event
  } catch (error) {
    throw new UnreadableEvent(event.id, error)
  }
}

interface PositionRow {
  last_event: number
  forgotten_event: number
  after_at: Date | number | null
  last_at: Date | number | null
  forgotten_event_at: Date | number | null
}

/** A row of `listEvents`: an event, and the columns of its account. */
export interface EventRow extends PositionRow {
  /** Null if no event was found: then the row has only the columns of the account. */
  id: number | null
  type: EventType
  created_at: Date | number
  actor: EventActor | string
  data: unknown
  /** The number of events that were found, including those that the limits leave out of the page. */
  found: number | null
}

/** Throws `UnreadableEvent`. */
export function toEventPage(
  rows: readonly EventRow[],
  accountId: string,
  after: number,
): EventPage {
  return {
    hasMore: (rows[0]?.found ?? 0) > rows.length,
    events: rows.flatMap(({ id, type, created_at, actor, data }) =>
      id === null
        ? []
        : [toEvent({ accountId, id, type, createdAt: new Date(created_at), actor, data })],
    ),
    ...toPositions(rows[0], after),
  }
}

/**
 * `end` is the last event that is examined, and undefined if the rest of the range is. `rows` are those events up to it
 * that may match: the database compares the words only roughly (`wordFilters`).
 */
export function toFoundEvents(
  rows: readonly EventRow[],
  accountId: string,
  { words, limit }: EventSearch,
  end: FoundEvents['examined'],
): FoundEvents {
  const { events: read, hasMore } = toEventPage(rows, accountId, 0)
  const matches = words === undefined ? read : read.filter((event) => matchesWords(event, words))
  const events = matches.slice(0, limit)
  const isFull = matches.length > limit
  const isCutOff = isFull || hasMore
  const last = isCutOff ? (isFull ? events : read).at(-1) : end
  const examined = last && { id: last.id, createdAt: last.createdAt }
  return { events, examined, isCutOff }
}

/** How many rows of a search a statement reads: those that the database has compared only roughly cost more. */
export function rowLimitOf({ words, limit }: EventSearch): number {
  return words === undefined ? limit : MAX_ROUGH_MATCHES
}

const MAX_ROUGH_MATCHES = 250

/** The range that ends with this event. */
export function rangeUntil(
  { after, before, order }: EventSearch,
  end: FoundEvents['examined'],
): Pick<EventSearch, 'after' | 'before'> {
  if (end === undefined) return { after, before }
  return order === 'asc' ? { after, before: end.id + 1 } : { after: end.id - 1, before }
}

const ASCII = /^[\x20-\x7e]*$/

/**
 * For each word, what a database can compare in the stored JSON before the names are read from it: a pattern of LIKE that
 * only matters for ASCII texts, or null, if only texts with other characters can match. Folding does not change which
 * ASCII letters an ASCII text has, and makes no other character of them. JSON escapes quotes and backslashes.
 */
export function wordFilters(words: readonly string[] = []): (string | null)[] {
  return words.flatMap((word) => {
    if (!ASCII.test(word)) return [null]
    return /["\\]/.test(word) ? [] : [`%${word.replaceAll(/[%_\\]/g, '\\$&')}%`]
  })
}

/** Whether most events have one of these types: then, an index by type does not make a search faster. */
export function areMostTypes(types: readonly EventType[]): boolean {
  return types.length > MANY_TYPES
}

const MANY_TYPES = 12

/** The counters of an account, and the times of their events. The last forgotten event has its time in the account. */
function toPositions(row: PositionRow | undefined, after: number) {
  const { last_event: lastId = 0, forgotten_event: forgottenId = 0 } = row ?? {}
  const forgottenAt = toDate(row?.forgotten_event_at ?? null)
  const timeOf = (id: number, stored: Date | number | null | undefined) =>
    toDate(stored ?? null) ?? (id === forgottenId ? forgottenAt : null)
  const afterAt = timeOf(after, row?.after_at)
  return { lastId, forgottenId, afterAt, lastAt: timeOf(lastId, row?.last_at), forgottenAt }
}

function parse(json: unknown): unknown {
  return typeof json === 'string' ? JSON.parse(json) : json
}

function readEventData(accountId: string, type: EventType, data: unknown): unknown {
  if (type === 'version.deleted') return withDates(data, ['createdAt'])
  if (type.startsWith('asset.')) return toEventAsset(accountId, data as StoredAsset)
  if (type.startsWith('upload.')) return toEventUpload(data as StoredUpload)
  if (type.startsWith('key.')) {
    // Keys of earlier versions do not expire.
    const key = { expiresAt: null, ...(data as object) }
    return { ...withDates(key, ['createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt']), accountId }
  }
  if (type.startsWith('webhook.')) return withDates(data, ['createdAt', 'updatedAt'])
  if (type.startsWith('token.')) return withDates(data, ['expiresAt'])
  if (type.startsWith('mail.')) return withDates(data, ['createdAt', 'sentAt'])
  if (type.startsWith('order.')) {
    const times = ['orderedAt', 'createdAt', 'updatedAt']
    const order = withDates(data, [...times, 'expiresAt', 'revokedAt', 'emailSentAt']) as {
      more?: object | null
    }
    // Orders of earlier versions have none.
    const more = order.more ? withDates(order.more, ['requestedAt']) : null
    return { ...order, more }
  }
  return data
}

function toEventAsset(accountId: string, stored: StoredAsset): EventAsset {
  const { folder, checksum, ...asset } = stored
  return {
    ...withDates(asset, ['createdAt', 'updatedAt', 'trashedAt']),
    accountId,
    path: pathOfStored(folder),
    tags: stored.tags ?? [],
    isInline: Boolean(stored.isInline),
    integrity: toIntegrity(checksum),
  } as EventAsset
}

function toIntegrity(checksum: StoredAsset['checksum']): Integrity {
  const [sha256, verifiedAt, isDamaged] = checksum ?? [null, null, false]
  const isWithheld = false
  return { sha256, verifiedAt: toDate(verifiedAt), isDamaged: Boolean(isDamaged), isWithheld }
}

function toEventUpload(stored: StoredUpload): EventUpload {
  const { folder, startedById: id, startedByName: name, isReplacement, ...upload } = stored
  return {
    ...withDates(upload, ['createdAt', 'expiresAt']),
    isReplacement: Boolean(isReplacement),
    path: pathOfStored(folder),
    tags: stored.tags ?? [],
    startedBy: name === null ? null : { id, name },
  } as EventUpload
}

function withDates(data: unknown, fields: string[]): Record<string, unknown> {
  const values = { ...(data as Record<string, unknown>) }
  for (const field of fields) values[field] = toDate(values[field] as Time | null)
  return values
}

function toDate(time: Date | Time | null): Date | null {
  if (time === null) return null
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) throw new Error(`${time} is not a time`)
  return date
}

/** The JSON of an event's data, as `toEvent` reads it. */
export function storeEventData({ type, data }: Event): string {
  if (type === 'version.deleted') return JSON.stringify(data)
  if (type.startsWith('asset.')) return JSON.stringify(storedAsset(data as EventAsset))
  if (type.startsWith('upload.')) return JSON.stringify(storedUpload(data as EventUpload))
  return JSON.stringify({ ...data, accountId: undefined })
}

function storedAsset({ accountId, path, integrity, ...asset }: EventAsset): object {
  const { sha256, verifiedAt, isDamaged } = integrity
  return { ...asset, folder: storedFolder(path), checksum: [sha256, verifiedAt, isDamaged] }
}

function storedUpload({ path, startedBy, ...upload }: EventUpload): object {
  return {
    ...upload,
    folder: storedFolder(path),
    startedById: startedBy?.id ?? null,
    startedByName: startedBy?.name ?? null,
  }
}

/** The values of an asset that `changeAsset` has replaced. */
export function changedValues(before: Asset, after: Asset): PreviousAsset {
  const { filename, path, tags, isInline, url, bytes } = before
  return previousValues({ filename, path, tags, isInline, url, bytes }, after)
}

/** The actors of the events that the methods of `Database` record, as JSON. These methods get no actor. */
export const EXPIRY_JOB = JSON.stringify(jobActor('expire_uploads'))
export const TRASH_JOB = JSON.stringify(jobActor('empty_trash'))
export const VERIFICATION_JOB = JSON.stringify(jobActor('verify_files'))
export const DELIVERY_JOB = JSON.stringify(jobActor('deliver_webhooks'))
export const PLAN_OPERATOR = JSON.stringify(OPERATOR)

/** Each event counts as its data, and as this many bytes for its other columns and its entries in the indexes. */
export const EVENT_OVERHEAD = 200

const MIN_BUDGET = 1_000_000_000

/** By default, the events of an account may use 1 % of its plan, but at least 1 GB. */
export function budgetOf(maxBytes: number | undefined, planStorage: number): number {
  return maxBytes ?? Math.max(MIN_BUDGET, Math.floor(planStorage / 100))
}

/** The counters of an account, which holds its row while they are used. */
export interface EventCounters {
  lastId: number
  countedId: number
  bytes: number
  planStorage: number
  /** The first event that a pending delivery needs. */
  neededId: number | null
}

export interface EventSize {
  id: number
  createdAt: number
  bytes: number
}

/** Adds the next events to the counters. `sizes` has the events after `countedId`, at most `batch`. */
export function countEvents(
  { countedId, bytes, ...counters }: EventCounters,
  sizes: Pick<EventSize, 'id' | 'bytes'>[],
  batch: number,
): EventCounters {
  return {
    ...counters,
    countedId: (sizes.length < batch ? undefined : sizes.at(-1)?.id) ?? counters.lastId,
    bytes: sizes.reduce((sum, size) => sum + size.bytes, bytes),
  }
}

/**
 * How many of the oldest events are forgotten, in the order of their IDs, and how many bytes they have. `latest`: an
 * event with a later time was recorded by a wrong clock, and counts as due.
 */
export function selectForgotten(
  counters: EventCounters,
  oldest: EventSize[],
  { before, latest, budget }: { before: Date | undefined; latest: number; budget: number },
): { count: number; bytes: number } {
  const { countedId, neededId } = counters
  const selected = { count: 0, bytes: 0 }
  for (const { id, createdAt, bytes } of oldest) {
    const isOld = before !== undefined && (createdAt < before.getTime() || createdAt > latest)
    const isDue = isOld && id < (neededId ?? id + 1)
    const isExcess = counters.bytes - selected.bytes > budget
    if (id > countedId || !(isDue || isExcess)) break
    selected.count += 1
    selected.bytes += bytes
  }
  return selected
}
