import type { Event, EventType } from '../domain/event.ts'

export interface EventQuery {
  /** Returns events with higher IDs. */
  after: number
  /** Returns only events with lower IDs, and the newest first. */
  before?: number | undefined
  /** Only events of these types; undefined means all. */
  types?: EventType[] | undefined
  limit: number
  /** A page ends early when the data of its events has more bytes than this. At most `MAX_EVENT_PAGE_BYTES`. */
  maxBytes?: number | undefined
}

/** The default of `maxBytes`, so that the size of every page is bounded. */
export const MAX_EVENT_PAGE_BYTES = 4_000_000

export interface EventPage {
  /** By ascending ID, or by descending ID with `before`. At most `limit`, and at least one if there is any. */
  events: Event[]
  /** Whether there are more events that match the query. */
  hasMore: boolean
  /** The ID of the account's last event, of any type; 0 if it has none. */
  lastId: number
  /** Events up to this ID may have been forgotten, that is, deleted because of their age; 0 if none has. */
  forgottenId: number
  /** The times of the events with the IDs `after`, `lastId` and `forgottenId`; null if unknown. */
  afterAt: Date | null
  lastAt: Date | null
  forgottenAt: Date | null
}

export interface ImportedEvents extends Pick<EventPage, 'events' | 'lastId' | 'forgottenId'> {
  forgottenAt?: Date | null
}

/** The IDs of the events of an account. */
export interface EventComparison {
  accountId: string
  /** The counter of the account. Must not be lower than `highestId`. */
  lastId: number
  /** The highest ID of a stored event. */
  highestId: number
  /** The number of IDs without an event, after the forgotten ones and up to the last ID. Must be 0. */
  missing: number
  /** The counter of bytes, and the bytes of the events that it counts. Must be equal. */
  countedBytes: number
  actualBytes: number
}

/**
 * The events of one account. The methods of `AccountData` record the events of their changes atomically, for the actor
 * that was passed to `Database.of`. A call that changes nothing records none. The event IDs of an account increase in
 * the order of the commits, without gaps: a reader that has seen an ID has seen all lower ones.
 */
export interface EventData {
  /** Throws `UnreadableEvent` for the first event of the page whose data cannot be read. */
  listEvents(query: EventQuery): Promise<EventPage>

  /** Copies events of another deployment with their IDs. Existing ones are not changed. */
  importEvents(page: ImportedEvents): Promise<void>
}
