import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { answerUnreadable } from '../node-http/answer-malformed-requests.ts'
import { endIdleConnections } from '../node-http/destroy-idle-connections.ts'
import { handleExpectations } from '../node-http/expectations.ts'
import { trackConnections } from '../node-http/track-connections.ts'
import { CLOSE_WITHIN_MS } from '../shutdown-timeout.ts'
import type { Admitted } from './authorize.ts'
import { answerPreflights, CROSS_ORIGIN_HEADERS } from './cross-origin.ts'
import { askForBody, refuseExpectations } from './handle-expect-header.ts'
import { readJsonOnly, refuseUnreadable } from './read-request.ts'
import { refuseStrangers } from './refuse-remote-requests.ts'
import { refuseUnknownRoutes } from './refuse-unknown-routes.ts'
import { accountRoutes } from './routes/account.ts'
import { assetRoutes } from './routes/assets.ts'
import { dashboardRoutes } from './routes/dashboard.ts'
import { productRoutes } from './routes/products.ts'
import { referenceRoutes } from './routes/reference.ts'
import type { RouteGroup, RouteOptions } from './routes/route-group.ts'
import { serviceRoutes } from './routes/service.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { answerError } from './send-error.ts'
import { compileValidator } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | undefined
  }
}

export interface AppOptions extends RouteOptions {
  logger: FastifyBaseLogger
}

/** Everything but a completion of many parts fits well below this. */
const BODY_LIMIT = 64 * 1024
const REQUEST_TIMEOUT_MS = 60_000
/** How long no byte may move while a request is received or its answer is sent. */
const IDLE_MS = 60_000

const ROUTES: RouteGroup[] = [
  uploadRoutes,
  assetRoutes,
  productRoutes,
  accountRoutes,
  serviceRoutes,
  referenceRoutes,
  dashboardRoutes,
]

/** Fastify's types know no others than its own. */
const COMPILERS: object = {
  buildValidator: () => compileValidator,
  buildSerializer: () => () => JSON.stringify,
}

export function buildApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: false,
    routerOptions: { ignoreTrailingSlash: true },
    // What the router itself refuses comes past no hook.
    frameworkErrors(error, request, reply) {
      try {
        receive(request, reply)
        answerError(error, request, reply)
      } catch (refusal) {
        answerError(refusal as Error, request, reply)
      }
    },
    // Fastify loads its own, more than a hundred modules, only where these are not given.
    schemaController: { compilersFactory: COMPILERS },
    clientErrorHandler: (error, socket) => onUnreadable(error, socket),
    // A missing Host is refused by us, in our words.
    http: { requireHostHeader: false },
  })
  const isOpen = options.context.settings.auth.kind === 'open'

  /** Every answer begins with this. */
  function receive(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers({ 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' })
    if (isOpen) refuseStrangers(request, options.baseUrl())
    else reply.headers(CROSS_ORIGIN_HEADERS)
  }

  const onUnreadable = answerUnreadable(app.server)
  handleExpectations(app.server)
  endIdleConnections(app.server, IDLE_MS)
  const closeQuietConnections = trackConnections(app.server, { withinMs: CLOSE_WITHIN_MS })
  app.addHook('preClose', async () => closeQuietConnections())
  app.setErrorHandler(answerError)
  app.decorateRequest('admitted', undefined)
  readJsonOnly(app)
  app.addHook('onRequest', (request, reply, done) => {
    receive(request, reply)
    done()
  })
  if (!isOpen) answerPreflights(app)
  app.addHook('onRequest', (request, _reply, done) => {
    refuseUnreadable(request)
    refuseExpectations(request)
    done()
  })
  askForBody(app)
  refuseUnknownRoutes(app)
  app.addHook('onResponse', (request, reply, done) => {
    // The query may hold what people search for, so only the path is logged.
    const { method, url } = request
    const path = url.split('?', 1)[0]
    const facts = { method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    request.log.info(facts, 'answered')
    done()
  })
  for (const addRoutes of ROUTES) addRoutes(app, options)
  return app
}
