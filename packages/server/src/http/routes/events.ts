import { endpoints, MAX_PAGE_SIZE, parseActor, parseEventTypes } from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../../domain/errors.ts'
import type { EventType } from '../../domain/event.ts'
import {
  type EventFilters,
  listEvents,
  listNewestEvents,
  searchEvents,
  visibleTypes,
} from '../../operations/events.ts'
import { presentEvent } from '../../wire/events.ts'
import { type EventStreams, openEventStreams } from '../event-streams.ts'
import { logRequest } from '../responses/log-request.ts'
import { presentIgnored } from '../responses/page.ts'
import { type CheckedRequest, type RouteGroup, route } from '../route.ts'

const DEFAULT_LIMIT = 25

export const eventRoutes: RouteGroup = (app, options) => {
  const streams = openEventStreams(options.context, (event) => JSON.stringify(presentEvent(event)))
  app.addHook('preClose', async () => streams.close())

  route(app, options, endpoints.listEvents, async (request, reply) => {
    const { context, query, scope } = request
    const { after, before, order, type, limit = DEFAULT_LIMIT } = query
    const types = visibleTypes(scope, type === undefined ? undefined : parseEventTypes(type))
    const perPage = Math.min(limit, MAX_PAGE_SIZE)
    const filters = readFilters(query)
    if (wantsStream(reply.request)) return startStream(streams, { request, types }, reply)
    const ignored = presentIgnored(Object.entries(query), endpoints.listEvents.query)
    if (order !== 'desc' && before !== undefined) throw invalid({ before: ['requires order=desc'] })
    if (filters !== undefined) {
      const limits = { after, before, order: order ?? 'asc', types, limit: perPage }
      const page = await searchEvents(context, { ...limits, filters })
      return {
        data: page.events.map(presentEvent),
        meta: {
          next_after: order === 'desc' ? page.lastId : page.nextAfter,
          ...(order === 'desc' && { next_before: page.nextBefore }),
          has_more: page.hasMore,
          examined_to: page.examinedTo && formatTimestamp(page.examinedTo),
          last_id: page.lastId,
          ...ignored,
        },
      }
    }
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
          ...ignored,
        },
      }
    }
    const page = await listEvents(context, { after, types, limit: perPage })
    return {
      data: page.events.map(presentEvent),
      meta: {
        next_after: page.nextAfter,
        has_more: page.hasMore,
        last_id: page.lastId,
        ...ignored,
      },
    }
  })
}

const FILTERS = ['actor', 'search', 'from', 'to'] as const

type Query = CheckedRequest<typeof endpoints.listEvents>['query']

/** Undefined if there are none. */
function readFilters(query: Query): EventFilters | undefined {
  if (FILTERS.every((name) => query[name] === undefined)) return undefined
  const { actor = '', search } = query
  const from = readTime('from', query.from)
  const to = readTime('to', query.to)
  if (from && to && from >= to) throw invalid({ to: ['must be later than from'] })
  return { actor: actor === '' ? undefined : parseActor(actor), search, from, to }
}

const DAY_MS = 24 * 3_600_000

/** A date starts at midnight UTC. As the end of a range, it is the end of the day. */
function readTime(name: 'from' | 'to', text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  const date = text.slice(0, 'yyyy-mm-dd'.length)
  // `Date` reads February 30 as a day in March.
  const isDate = new Date(date).toJSON()?.startsWith(date)
  if (Number.isNaN(time.getTime()) || !isDate)
    throw invalid({ [name]: ['is not a date that exists'] })
  return name === 'to' && !text.includes('T') ? new Date(time.getTime() + DAY_MS) : time
}

const EVENT_STREAM = 'text/event-stream'

function wantsStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes(EVENT_STREAM) ?? false
}

/** Starts after `Last-Event-ID` or `after`. Without them, it sends only new events. */
async function startStream(
  streams: EventStreams,
  {
    request,
    types,
  }: {
    request: CheckedRequest<typeof endpoints.listEvents>
    /** Undefined: all types. */
    types: EventType[] | undefined
  },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { context, caller, query, headers } = request
  if (query.order === 'desc') {
    throw invalid({ order: ['must not be desc for a stream, which sends the oldest event first'] })
  }
  for (const name of ['before', ...FILTERS] as const) {
    if (query[name] !== undefined) throw invalid({ [name]: ['must be omitted for a stream'] })
  }
  const stream = streams.admit({
    accountId: context.accountId,
    keyId: caller.keyId,
    credentials: {
      authorization: reply.request.headers.authorization,
      sessionToken: caller.session?.token,
    },
    types,
  })
  try {
    const last = headers['last-event-id']
    const after = last === undefined ? query.after : Number(last)
    // Throws if events after this position are no longer kept. After the stream has started, no error can be sent.
    const { lastId, position } = await listEvents(context, { after, types, limit: 0 })
    reply.headers({
      'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
      'Cache-Control': 'no-store',
      // nginx would collect events before it sends them.
      'X-Accel-Buffering': 'no',
    })
    if (reply.request.method === 'HEAD') {
      stream.release()
      return reply.send('')
    }
    reply.hijack()
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>)
    // Fastify does not report the end of a hijacked response.
    logRequest(reply, 'event stream started')
    reply.raw.once('close', () => logRequest(reply, 'request completed'))
    stream.start(reply.raw, after === undefined ? lastId : position)
    return reply
  } catch (error) {
    stream.release()
    throw error
  }
}
