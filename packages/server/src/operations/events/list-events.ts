import type { Event, EventType } from '../../domain/event.ts'
import { invalid, ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

export interface ListedEvents {
  events: Event[]
  /** The value of `after` for the next call. */
  nextAfter: number
  hasMore: boolean
  /** The ID of the account's last event, of any type. */
  lastId: number
}

/**
 * The events after an ID, or from the oldest one that is kept. If events after this ID were forgotten, the call is
 * refused: a reader would miss changes without notice.
 */
export async function listEvents(
  { data }: Pick<AccountContext, 'data'>,
  query: { after: number | undefined; types: EventType[] | undefined; limit: number },
): Promise<ListedEvents> {
  const { after, types, limit } = query
  const page = await data.listEvents({ after: after ?? 0, types, limit })
  const { events, hasMore, lastId, forgottenId } = page
  if (after !== undefined && after < forgottenId) {
    throw new ServiceError(
      'events_forgotten',
      `Events up to the ID ${forgottenId} are no longer kept. List the assets and products, and continue with after=${lastId}.`,
      { details: { last_id: lastId } },
    )
  }
  if (after !== undefined && after > lastId) {
    throw invalid({ after: [`must not be greater than the ID of the last event, ${lastId}`] })
  }
  // Without further events of these types, all events up to the last one were read.
  const nextAfter = hasMore ? (events.at(-1)?.id ?? lastId) : lastId
  return { events, nextAfter, hasMore, lastId }
}
