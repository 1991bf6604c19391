import type { endpoints } from '@stowage/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventType } from '../../domain/event.ts'
import { invalid } from '../../errors.ts'
import { listEvents } from '../../operations/events/list-events.ts'
import { logRequest } from '../responses/log-request.ts'
import type { CheckedRequest } from '../route.ts'
import type { EventStreams } from './open-event-streams.ts'

const TYPE = 'text/event-stream'

export function wantsStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes(TYPE) ?? false
}

/** Starts after `Last-Event-ID` or `after`. Without them, it sends only new events. */
export async function startStream(
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
  if (query.before !== undefined) throw invalid({ before: ['must be omitted for a stream'] })
  const stream = streams.reserve({
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
      'Content-Type': `${TYPE}; charset=utf-8`,
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
