import { randomUUID } from 'node:crypto'
import { ENDPOINTS, type Method } from '@stowage/protocol'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { answerError, send } from './error-response.ts'
import { refuseStrangers } from './local-only.ts'
import { assetRoutes } from './routes/assets.ts'
import { referenceRoutes } from './routes/reference.ts'
import type { RouteOptions } from './routes/route-group.ts'
import { serviceRoutes } from './routes/service.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { compileValidator } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    accountId: string
  }
}

export interface AppOptions extends RouteOptions {
  logger: FastifyBaseLogger
  /** The account of every request, while there are no keys. */
  accountId: string
}

/** Everything but a completion of many parts fits well below this. */
const BODY_LIMIT = 64 * 1024
const REQUEST_TIMEOUT_MS = 60_000

export function buildApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: answerError,
  })
  app.setValidatorCompiler(compileValidator)
  app.setErrorHandler(answerError)
  app.decorateRequest('accountId', '')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff')
    refuseStrangers(request, options.baseUrl())
    request.accountId = options.accountId
  })
  app.addHook('onResponse', async (request, reply) => {
    // The query may hold what people search for, so only the path is logged.
    const path = request.url.split('?')[0]
    const facts = { method: request.method, path, status: reply.statusCode }
    request.log.info({ ...facts, ms: Math.round(reply.elapsedTime) }, 'answered')
  })
  for (const addRoutes of [uploadRoutes, assetRoutes, serviceRoutes, referenceRoutes]) {
    addRoutes(app, options)
  }
  // Until there is a page for people, these lead to what there is.
  app.get('/', async (_request, reply) => reply.redirect('/docs', 302))
  app.get('/assets/:id', async (request, reply) => reply.redirect(`/api/v1${request.url}`, 302))
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.url)
    if (allowed.length === 0) {
      return send(reply, 'not_found', 'Nothing is at this address. /docs lists what there is.')
    }
    reply.header('Allow', allowed.join(', '))
    const message = `This address takes ${allowed.join(', ')}, not ${request.method}.`
    return send(reply, 'method_not_allowed', message)
  })
  return app
}

/** The methods of every call of the interface whose path fits the address. */
function allowedMethods(url: string): Method[] {
  const path = url.split('?')[0]?.replace(/(?<=.)\/$/, '') ?? ''
  return ENDPOINTS.filter((endpoint) => {
    const pattern = endpoint.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
    return new RegExp(`^${pattern}$`).test(path)
  }).flatMap((endpoint) => endpoint.methods)
}
