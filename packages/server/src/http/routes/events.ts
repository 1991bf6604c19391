import { endpoints, MAX_PAGE_SIZE, parseEventTypes } from '@stowage/protocol'
import { invalid } from '../../errors.ts'
import { listEvents } from '../../operations/events/list-events.ts'
import { listNewestEvents } from '../../operations/events/list-newest-events.ts'
import { visibleTypes } from '../../operations/events/visible-types.ts'
import { openEventStreams } from '../event-streams/open-event-streams.ts'
import { startStream, wantsStream } from '../event-streams/start-stream.ts'
import { presentEvent } from '../responses/present-event.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

const DEFAULT_LIMIT = 25

export const eventRoutes: RouteGroup = (app, options) => {
  const streams = openEventStreams(options.context, (event) => JSON.stringify(presentEvent(event)))
  app.addHook('preClose', async () => streams.close())

  route(app, options, endpoints.listEvents, async (request, reply) => {
    const { context, query, scope } = request
    const { after, before, order, type, limit = DEFAULT_LIMIT } = query
    const types = visibleTypes(scope, type === undefined ? undefined : parseEventTypes(type))
    const perPage = Math.min(limit, MAX_PAGE_SIZE)
    if (wantsStream(reply.request)) return startStream(streams, { request, types }, reply)
    if (order === 'desc') {
      const page = await listNewestEvents(context, { after, before, types, limit: perPage })
      const { nextBefore, hasMore, lastId } = page
      return {
        data: page.events.map(presentEvent),
        meta: {
          next_after: lastId,
          next_before: nextBefore,
          has_more: hasMore,
          last_id: lastId,
        },
      }
    }
    if (before !== undefined) throw invalid({ before: ['requires order=desc'] })
    const page = await listEvents(context, { after, types, limit: perPage })
    return {
      data: page.events.map(presentEvent),
      meta: { next_after: page.nextAfter, has_more: page.hasMore, last_id: page.lastId },
    }
  })
}
