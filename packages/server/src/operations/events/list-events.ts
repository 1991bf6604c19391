import type { EventPage } from '../../database/event-data.ts'
import {
  type Event,
  type EventType,
  eventNumber,
  isEventId,
  publicEventId,
} from '../../domain/event.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

export interface ListedEvents {
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
export function checkPosition(after: number, page: EventPage): void {
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
export function nextPosition(page: Pick<EventPage, 'events' | 'hasMore' | 'lastId' | 'lastAt'>) {
  const last = page.events.at(-1)
  // Without further events of these types, all events up to the last one were read.
  return page.hasMore && last ? publicEventId(last.id, last.createdAt) : lastPosition(page)
}

/** The public ID of the account's last event. */
export function lastPosition({ lastId, lastAt }: Pick<EventPage, 'lastId' | 'lastAt'>): number {
  return publicEventId(lastId, lastAt)
}
