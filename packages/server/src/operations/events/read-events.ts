import type { EventPage, EventQuery } from '../../database/event-data.ts'
import { type Event, eventNumber, publicEventId } from '../../domain/event.ts'
import { UnreadableEvent } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { checkPosition, nextPosition } from './list-events.ts'

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
