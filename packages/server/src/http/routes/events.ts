import { endpoints, MAX_PAGE_SIZE, parseEventTypes } from '@stowage/protocol'
import { listEvents } from '../../operations/events/list-events.ts'
import { presentEvent } from '../responses/present-event.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

const DEFAULT_LIMIT = 25

export const eventRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.listEvents, async ({ context, query }) => {
    const { after, type, limit = DEFAULT_LIMIT } = query
    const types = type === undefined ? undefined : parseEventTypes(type)
    const page = await listEvents(context, { after, types, limit: Math.min(limit, MAX_PAGE_SIZE) })
    return {
      data: page.events.map(presentEvent),
      meta: { next_after: page.nextAfter, has_more: page.hasMore, last_id: page.lastId },
    }
  })
}
