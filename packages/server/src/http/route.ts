import type { Endpoint } from '@stowage/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** A request whose parts were checked by the endpoint's schemas. */
export interface CheckedRequest<E extends Endpoint> {
  params: StaticOf<E['params']>
  query: StaticOf<E['query']>
  headers: StaticOf<E['headers']>
  body: StaticOf<E['body']>
  /** The whole address, as the caller sent it. */
  url: string
  accountId: string
}

export type Handler<E extends Endpoint> = (
  request: CheckedRequest<E>,
  reply: FastifyReply,
) => Promise<StaticOf<E['success']['schema']> | FastifyReply>

/** Serves a call of the interface: checks it by its schemas, and types its handler by them. */
export function route<E extends Endpoint>(
  app: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
): void {
  const { params, query, headers, body, success } = endpoint
  app.route({
    method: [...endpoint.methods],
    url: endpoint.path,
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(headers && { headers }),
      ...(body && { body }),
      ...(success.schema && { response: { [success.status]: success.schema } }),
    },
    async handler(request: FastifyRequest, reply: FastifyReply) {
      reply.code(success.status)
      const checked = {
        params: request.params,
        query: request.query,
        headers: request.headers,
        body: request.body,
        url: request.url,
        accountId: request.accountId,
      }
      return handler(checked as CheckedRequest<E>, reply)
    },
  })
}
