import { EVENT_TYPES } from '@stowage/protocol'
import type { EventPage, EventQuery, FoundEvents } from '../database/event-data.ts'
import { ServiceError, UnreadableEvent } from '../domain/errors.ts'
import {
  type Event,
  type EventType,
  eventNumber,
  isEventId,
  publicEventId,
} from '../domain/event.ts'
import type { ActorFilter } from '../domain/event-filter.ts'
import { includesScope, type KeyScope } from '../domain/key.ts'
import { searchWords } from '../domain/search.ts'
import type { AccountContext } from './context.ts'

interface ListedEvents {
  events: Event[]
  /** The value of `after` for the next call. */
  nextAfter: number
  hasMore: boolean
  /** The public ID of the account's last event, of any type. */
  lastId: number
  /** The public ID of `after`. */
  position: number
}

/**
 * The events after a public ID, or from the oldest one that is kept. If events after this ID were forgotten, or if they
 * are not those of the history that the reader knows, the call is refused: a reader would miss changes without notice.
 */
export async function listEvents(
  { data }: Pick<AccountContext, 'data'>,
  query: { after: number | undefined; types: EventType[] | undefined; limit: number },
): Promise<ListedEvents> {
  const { after, types, limit } = query
  const number = eventNumber(after ?? 0)
  const page = await data.listEvents({ after: number, types, limit })
  if (after !== undefined) checkPosition(after, page)
  const { events, hasMore, afterAt } = page
  return {
    events,
    nextAfter: nextPosition(page),
    hasMore,
    lastId: lastPosition(page),
    position: publicEventId(number, afterAt),
  }
}

/** Throws `events_forgotten` or `events_reset` if a reader that continues after this public ID would miss changes. */
function checkPosition(after: number, page: EventPage): void {
  const number = eventNumber(after)
  const details = { last_id: lastPosition(page) }
  const remedy = `List the assets and products, and continue with after=${details.last_id}.`
  if (number > page.lastId || !isEventId(after, page.afterAt)) {
    throw new ServiceError(
      'events_reset',
      `The events of this account do not include the ID ${after}: the database was restored from a backup, or the ID is of another account. ${remedy}`,
      { details },
    )
  }
  if (number < page.forgottenId) {
    throw new ServiceError(
      'events_forgotten',
      `Events after the ID ${after} are no longer kept. ${remedy}`,
      { details },
    )
  }
}

/** The public ID after which the next page starts. */
function nextPosition(page: Pick<EventPage, 'events' | 'hasMore' | 'lastId' | 'lastAt'>) {
  const last = page.events.at(-1)
  // Without further events of these types, all events up to the last one were read.
  return page.hasMore && last ? publicEventId(last.id, last.createdAt) : lastPosition(page)
}

/** The public ID of the account's last event. */
function lastPosition({ lastId, lastAt }: Pick<EventPage, 'lastId' | 'lastAt'>): number {
  return publicEventId(lastId, lastAt)
}

interface NewestEvents {
  /** By descending ID. */
  events: Event[]
  /** The value of `before` for the next call: older events have lower IDs. */
  nextBefore: number
  hasMore: boolean
  lastId: number
}

/** The newest events, or the newest ones before a public ID. Forgotten events are left out. */
export async function listNewestEvents(
  { data }: Pick<AccountContext, 'data'>,
  query: {
    after: number | undefined
    before: number | undefined
    types: EventType[] | undefined
    limit: number
  },
): Promise<NewestEvents> {
  const { after = 0, before, types, limit } = query
  const page = await data.listEvents({
    after: eventNumber(after),
    before: before === undefined ? Number.MAX_SAFE_INTEGER : eventNumber(before),
    types,
    limit,
  })
  const { events, hasMore } = page
  const oldest = events.at(-1)
  const nextBefore = oldest === undefined ? 1 : publicEventId(oldest.id, oldest.createdAt)
  return { events, nextBefore, hasMore, lastId: lastPosition(page) }
}

export interface EventFilters {
  actor?: ActorFilter | undefined
  search?: string | undefined
  from?: Date | undefined
  /** Exclusive. */
  to?: Date | undefined
}

interface EventMatches {
  /** By ascending ID, or by descending ID with `desc`. */
  events: Event[]
  /** The public IDs from which the next call continues: the value of `after`, and of `before` with `desc`. */
  nextAfter: number
  nextBefore: number
  hasMore: boolean
  /** Null if all events were examined. */
  examinedTo: Date | null
  lastId: number
}

/** How many events a call examines at most, and how many one statement. */
const MAX_EXAMINED_EVENTS = 10_000
const EXAMINED_PER_STATEMENT = 1000
/** What a statement that was cut off counts as: it returned some events instead of examining all. */
const CUT_OFF = 250

/**
 * The events that match all filters. A call examines a limited number of them, so that it takes a limited time: then it
 * returns fewer than `limit`, and the next call continues.
 */
export async function searchEvents(
  { data }: Pick<AccountContext, 'data'>,
  query: {
    after: number | undefined
    before: number | undefined
    order: 'asc' | 'desc'
    types: EventType[] | undefined
    limit: number
    filters: EventFilters
  },
): Promise<EventMatches> {
  const { after, before, order, types, limit, filters } = query
  const { actor, search = '', from, to } = filters
  const found = searchWords(search)
  const words = found.length === 0 ? undefined : found
  const start = await data.listEvents({ after: eventNumber(after ?? 0), types, limit: 0 })
  if (after !== undefined && order === 'asc') checkPosition(after, start)
  const last = lastPosition(start)
  const range = {
    after: eventNumber(after ?? 0),
    // Events that are recorded meanwhile are for the next call.
    before: Math.min(start.lastId + 1, before === undefined ? Infinity : eventNumber(before)),
  }
  if (from) range.after = Math.max(range.after, (await data.firstEventSince(from)) - 1)
  if (to) range.before = Math.min(range.before, await data.firstEventSince(to))
  const events: Event[] = []
  let end: FoundEvents['examined']
  const conditions = { order, types, actor, words, maxExamined: EXAMINED_PER_STATEMENT }
  for (let examined = 0, isOver = false; !isOver; ) {
    const page = await data.findEvents({ ...range, ...conditions, limit: limit - events.length })
    events.push(...page.events)
    end = page.examined
    if (end !== undefined && order === 'asc') range.after = end.id
    if (end !== undefined && order === 'desc') range.before = end.id
    examined += page.isCutOff ? CUT_OFF : EXAMINED_PER_STATEMENT
    isOver = end === undefined || events.length === limit || examined >= MAX_EXAMINED_EVENTS
  }
  const position = end === undefined ? undefined : publicEventId(end.id, end.createdAt)
  return {
    events,
    nextAfter: position ?? last,
    nextBefore: position ?? 1,
    hasMore: end !== undefined,
    examinedTo: end?.createdAt ?? null,
    lastId: last,
  }
}

export interface EventBatch<Result> {
  /** By ascending ID. */
  results: Result[]
  /** All events of the requested types up to this public ID were read. It is the value of `after` for the next call. */
  until: number
  hasMore: boolean
}

const MAX_LIMIT = 100

/**
 * The limit of the next page, or of the first one. A database reads all events up to the limit to find those that fit
 * into the bytes of a page, so the limit follows the size of the events.
 */
export function nextLimit(limit = MAX_LIMIT, page?: EventBatch<unknown>): number {
  const isCutOff = page?.hasMore && page.results.length < limit
  return isCutOff ? page.results.length + 1 : Math.min(2 * limit, MAX_LIMIT)
}

type Reader = Pick<AccountContext, 'accountId' | 'data' | 'warn'>

/**
 * Reads the events after a public ID and converts them. Throws `events_forgotten` and `events_reset`. An event that cannot be read or converted is logged and skipped, so that it does not
 * stop all later ones.
 */
export async function readEvents<Result>(
  reader: Reader,
  query: Omit<EventQuery, 'before'>,
  convert: (event: Event) => Result,
): Promise<EventBatch<Result>> {
  const { events, until, hasMore } = await readUntilUnreadable(reader, query)
  const results: Result[] = []
  for (const event of events) {
    try {
      results.push(convert(event))
    } catch (error) {
      skip(reader, event.id, error)
    }
  }
  return { results, until, hasMore }
}

async function readUntilUnreadable(
  reader: Reader,
  query: Omit<EventQuery, 'before'>,
): Promise<Pick<EventPage, 'events' | 'hasMore'> & { until: number }> {
  const numbers = { ...query, after: eventNumber(query.after) }
  try {
    const page = await reader.data.listEvents(numbers)
    checkPosition(query.after, page)
    const { events, hasMore } = page
    return { events, hasMore, until: nextPosition(page) }
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error
    skip(reader, error.id, error)
    // All events before the unreadable one fit in a page, because they were in the same page.
    const page = await reader.data.listEvents({ ...numbers, before: error.id })
    checkPosition(query.after, page)
    return { events: page.events.reverse(), hasMore: true, until: publicEventId(error.id, null) }
  }
}

function skip({ accountId, warn }: Reader, id: number, error: unknown): void {
  warn(`skipped the event ${id} of the account ${accountId}, which cannot be read`, error)
}

/**
 * The types of events that a caller gets; undefined means all. Events of API keys, upload tokens and webhooks are about
 * access to the account, and require the scope `manage`. Throws `forbidden` if the caller requested them without it.
 */
export function visibleTypes(
  scope: KeyScope,
  requested: EventType[] | undefined,
): EventType[] | undefined {
  if (includesScope(scope, 'manage')) return requested
  if (requested?.some(requiresManage)) {
    throw new ServiceError(
      'forbidden',
      `Events of API keys, upload tokens and webhooks require a key with the scope manage, but your key has the scope ${scope}. Use another key, or request other types.`,
    )
  }
  return requested ?? EVENT_TYPES.filter((type) => !requiresManage(type))
}

function requiresManage(type: EventType): boolean {
  return /^(key|token|webhook)\./.test(type)
}
