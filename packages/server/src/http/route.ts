import { API_PREFIX, type Endpoint } from '@stowage/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { invalid } from '../domain/errors.ts'
import type { Context } from '../operations/context.ts'
import { type Authorized, authorize } from './authorization.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import { type ListHook, returnsList } from './responses/lists.ts'

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** A request that was validated by the endpoint’s schemas. */
export interface CheckedRequest<E extends Endpoint> {
  params: StaticOf<E['params']>
  query: StaticOf<E['query']>
  headers: StaticOf<E['headers']>
  body: StaticOf<E['body']>
  /** The path and query of the request. */
  url: string
  /** The header `Accept-Language`. */
  language: string | undefined
  /** Behind trusted proxies, the address that they forward. */
  clientAddress: string
  /** Gives access to the caller’s account only. */
  context: E['scope'] extends 'public' ? undefined : Authorized['context']
  /** The scope of the caller’s key, which includes the endpoint’s. */
  scope: E['scope'] extends 'public' ? undefined : Authorized['scope']
  /** The caller’s key or upload token; null if the service requires none. */
  actor: E['scope'] extends 'public' ? undefined : Authorized['actor']
  caller: E['scope'] extends 'public' ? undefined : Authorized['caller']
}

export type Handler<E extends Endpoint> = (
  request: CheckedRequest<E>,
  reply: FastifyReply,
) => Promise<StaticOf<E['success']['schema']> | FastifyReply>

/** Adds a route: authorizes the caller, validates the request, types the handler. */
export function route<E extends Endpoint>(
  app: FastifyInstance,
  options: RouteOptions,
  endpoint: E,
  handler: Handler<E>,
): void {
  const { params, query, headers, body, success, scope } = endpoint
  const allowsUploadTokens = endpoint.allowsUploadTokens ?? false
  app.route({
    method: [...endpoint.methods],
    url: endpoint.path,
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    // Some clients send an empty body with the Content-Type of JSON, even to calls that take no body.
    config: { isBodyOptional: endpoint.isBodyOptional ?? body === undefined },
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(headers && { headers }),
      ...(body && { body }),
    },
    async onRequest(request, reply) {
      if (scope === 'public') return
      request.authorized = await authorize(options, { scope, allowsUploadTokens }, request, reply)
      if (endpoint.refusesIdempotencyKey) refuseIdempotencyKey(request)
    },
    ...(endpoint.isBodyOptional && { preValidation: replaceMissingBody }),
    ...(returnsList(endpoint) && { onSend: options.finishList }),
    async handler(request: FastifyRequest, reply: FastifyReply) {
      request.isCalled = true
      reply.code(success.status)
      const checked = {
        params: request.params,
        query: request.query,
        headers: request.headers,
        body: request.body,
        url: request.url,
        language: request.headers['accept-language'],
        clientAddress: request.clientAddress,
        ...request.authorized,
      }
      try {
        return await handler(checked as CheckedRequest<E>, reply)
      } finally {
        request.bodyLease?.release()
      }
    },
  })
}

/**
 * Sets the headers of a 201: the URL of what the call has created, below `/api/v1`, and whether an earlier call with the
 * same `Idempotency-Key` has created it.
 */
export function nameCreated(
  reply: FastifyReply,
  { baseUrl }: RouteOptions,
  { path, isRepeated = false }: { path: string; isRepeated?: boolean },
): void {
  reply.header('Location', `${baseUrl()}${API_PREFIX}${path}`)
  if (isRepeated) reply.header('Idempotency-Replayed', 'true')
}

function refuseIdempotencyKey({ headers }: FastifyRequest): void {
  if (headers['idempotency-key'] === undefined) return
  const problem =
    'must be omitted: each call of this kind has another effect, even with the same key'
  throw invalid({ 'idempotency-key': [problem] }, { areWireNames: true })
}

function replaceMissingBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.body === undefined) request.body = {}
  done()
}

export interface RouteOptions {
  context: Context
  /** A function, because a free port is chosen only when the service listens. */
  baseUrl: () => string
  version: string
  /** The folder of the built web app, if there is one. */
  dashboard: URL | undefined
  failures: FailedAuthentications
  /** The last step of each response with a list. */
  finishList: ListHook
}

export type RouteGroup = (app: FastifyInstance, options: RouteOptions) => void
