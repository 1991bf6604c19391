import { type Event, type EventType, eventNumber, publicEventId } from '../../domain/event.ts'
import type { AccountContext } from '../context.ts'
import { lastPosition } from './list-events.ts'

export interface NewestEvents {
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
