import type { Event, EventType } from '../../domain/event.ts'
import type { AccountContext } from '../context.ts'

export interface NewestEvents {
  /** By descending ID. */
  events: Event[]
  /** The value of `before` for the next call: older events have lower IDs. */
  nextBefore: number
  hasMore: boolean
  lastId: number
}

/** The newest events, or the newest ones before an ID. Forgotten events are left out. */
export async function listNewestEvents(
  { data }: Pick<AccountContext, 'data'>,
  query: {
    after: number | undefined
    before: number | undefined
    types: EventType[] | undefined
    limit: number
  },
): Promise<NewestEvents> {
  const { after = 0, before = Number.MAX_SAFE_INTEGER, types, limit } = query
  const page = await data.listEvents({ after, before, types, limit })
  const { events, hasMore } = page
  return { events, nextBefore: events.at(-1)?.id ?? 1, hasMore, lastId: page.lastId }
}
