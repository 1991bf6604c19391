import type { Endpoint } from '@stowage/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { type Admitted, admit } from './authorize.ts'
import type { RouteOptions } from './routes/route-group.ts'

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** A request whose parts were checked by the endpoint's schemas. */
export interface CheckedRequest<E extends Endpoint> {
  params: StaticOf<E['params']>
  query: StaticOf<E['query']>
  headers: StaticOf<E['headers']>
  body: StaticOf<E['body']>
  /** The whole address, as the caller sent it. */
  url: string
  /** Of the caller's account only: a handler has no way to another's. */
  context: E['scope'] extends 'public' ? undefined : Admitted['context']
  /** What the caller may do: at least what the endpoint asks for. */
  scope: E['scope'] extends 'public' ? undefined : Admitted['scope']
}

export type Handler<E extends Endpoint> = (
  request: CheckedRequest<E>,
  reply: FastifyReply,
) => Promise<StaticOf<E['success']['schema']> | FastifyReply>

/** Serves a call of the interface: admits the caller, checks the request, types the handler. */
export function route<E extends Endpoint>(
  app: FastifyInstance,
  { context }: RouteOptions,
  endpoint: E,
  handler: Handler<E>,
): void {
  const { params, query, headers, body, success, scope } = endpoint
  app.route({
    method: [...endpoint.methods],
    url: endpoint.path,
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(headers && { headers }),
      ...(body && { body }),
    },
    async onRequest(request, reply) {
      if (scope === 'public') return
      request.admitted = await admit(context, scope, request, reply)
    },
    handler(request: FastifyRequest, reply: FastifyReply) {
      reply.code(success.status)
      const checked = {
        params: request.params,
        query: request.query,
        headers: request.headers,
        body: request.body,
        url: request.url,
        ...request.admitted,
      }
      return handler(checked as CheckedRequest<E>, reply)
    },
  })
}
