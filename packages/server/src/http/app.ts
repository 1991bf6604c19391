import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { TrustedProxies } from '../domain/addresses.ts'
import {
  destroyIdleConnections,
  keepIdleConnections,
  SHUTDOWN_TIMEOUT_MS,
  trackConnections,
} from '../node-http/connections.ts'
import {
  handleExpectations,
  refuseMalformedMessages,
  requestIdOf,
  traceIdOf,
} from '../node-http/messages.ts'
import type { Caller } from '../operations/authentication.ts'
import type { Authorized } from './authorization.ts'
import { limitBodyMemory, parseJsonBodies } from './bodies.ts'
import { type BodyLease, openBodyBudget } from './body-budget.ts'
import { readClientAddress } from './client-address.ts'
import { openFailedAuthentications } from './failed-authentications.ts'
import {
  CROSS_ORIGIN_HEADERS,
  handlePreflights,
  refuseExpectations,
  refuseMalformedRequests,
  refuseRemoteRequests,
  refuseUnknownRoutes,
  sendContinue,
} from './hooks.ts'
import { sendError } from './responses/errors.ts'
import { createListHook } from './responses/lists.ts'
import { logRequest } from './responses/log-request.ts'
import type { RouteGroup, RouteOptions } from './route.ts'
import { accountRoutes } from './routes/account.ts'
import { archiveRoutes } from './routes/archives.ts'
import { assetRoutes } from './routes/assets.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { buyerRoutes } from './routes/buyers.ts'
import { dashboardRoutes } from './routes/dashboard.ts'
import { eventRoutes } from './routes/events.ts'
import { folderRoutes } from './routes/folders.ts'
import { keyRoutes } from './routes/keys.ts'
import { mailPageRoutes } from './routes/mail-pages.ts'
import { mailRoutes } from './routes/mails.ts'
import { operatorRoutes } from './routes/operator.ts'
import { orderRoutes } from './routes/orders.ts'
import { productRoutes } from './routes/products.ts'
import { referenceRoutes } from './routes/reference.ts'
import { serviceRoutes } from './routes/service.ts'
import { sessionRoutes } from './routes/session.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { trashRoutes } from './routes/trash.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { versionRoutes } from './routes/versions.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { createTurns, startInOrder } from './turns.ts'
import { compileValidator } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    isBodyOptional?: boolean
    /** A form of a page: its fields are read, or it is ignored. */
    form?: 'fields' | 'ignored'
  }
  interface FastifyRequest {
    /** Undefined if the request is public or has no valid key. */
    caller: Caller | undefined
    /** Undefined until the caller has also been found to have the scope that the call needs. */
    authorized: Authorized | undefined
    /** Behind trusted proxies, the address that they forward. */
    clientAddress: string
    /** The memory of the body; undefined if there is none. */
    bodyLease: BodyLease | undefined
    /** Whether the handler has started. It releases the lease when it has ended. */
    isCalled: boolean
  }
}

interface AppOptions extends Omit<RouteOptions, 'failures' | 'finishList'> {
  logger: FastifyBaseLogger
  /** The proxies whose `X-Forwarded-For` is used. Undefined: none. */
  trustProxy: TrustedProxies | undefined
}

/** For calls without a `bodyLimit` of their own. */
const BODY_LIMIT = 64 * 1024
const REQUEST_TIMEOUT_MS = 60_000
/** How long a connection may stall while a request is received or a response is sent. */
const IDLE_MS = 60_000

const ROUTES: RouteGroup[] = [
  uploadRoutes,
  tokenRoutes,
  assetRoutes,
  archiveRoutes,
  trashRoutes,
  folderRoutes,
  bulkRoutes,
  versionRoutes,
  productRoutes,
  orderRoutes,
  buyerRoutes,
  mailRoutes,
  mailPageRoutes,
  eventRoutes,
  accountRoutes,
  keyRoutes,
  webhookRoutes,
  sessionRoutes,
  operatorRoutes,
  serviceRoutes,
  referenceRoutes,
  dashboardRoutes,
]

/** Typed as an object, because Fastify’s types only know its own compilers. */
const COMPILERS: object = {
  buildValidator: () => compileValidator,
  buildSerializer: () => () => JSON.stringify,
}

export function buildApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    childLoggerFactory(logger, bindings, options, request) {
      const trace = traceIdOf(request)
      return logger.child(trace === undefined ? bindings : { ...bindings, trace }, options)
    },
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: false,
    routerOptions: { ignoreTrailingSlash: true },
    // Requests that the router itself refuses run no hooks.
    frameworkErrors(error, request, reply) {
      try {
        receive(request, reply)
        sendError(error, request, reply)
      } catch (refusal) {
        sendError(refusal as Error, request, reply)
      }
    },
    // With these compilers, Fastify does not load its own, which are more than a hundred modules.
    schemaController: { compilersFactory: COMPILERS },
    clientErrorHandler: (error, socket) => onMalformedRequest(error, socket),
    // The service refuses a missing Host itself, with an error body.
    http: { requireHostHeader: false },
  })
  const clientAddressOf = readClientAddress(options.trustProxy)
  const isOpen = options.context.settings.auth.kind === 'open'

  /** Sets the headers of every response. An open service also refuses remote requests here. */
  function receive(request: FastifyRequest, reply: FastifyReply): void {
    request.clientAddress = clientAddressOf(request)
    reply.headers({ 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' })
    if (isOpen) refuseRemoteRequests(request, options.baseUrl())
    else reply.headers(CROSS_ORIGIN_HEADERS)
  }

  const onMalformedRequest = refuseMalformedMessages(app.server)
  handleExpectations(app.server)
  destroyIdleConnections(app.server, IDLE_MS)
  keepIdleConnections(app.server)
  const closeConnections = trackConnections(app.server, { withinMs: SHUTDOWN_TIMEOUT_MS })
  app.addHook('preClose', async () => closeConnections())
  app.setErrorHandler((error: Error, request, reply) => {
    options.context.noticeOutage(error)
    return sendError(error, request, reply)
  })
  app.decorateRequest('caller', undefined)
  app.decorateRequest('authorized', undefined)
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('isCalled', false)
  parseJsonBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    receive(request, reply)
    done()
  })
  if (!isOpen) handlePreflights(app)
  app.addHook('onRequest', (request, reply, done) => {
    refuseMalformedRequests(request, reply)
    refuseExpectations(request)
    done()
  })
  limitBodyMemory(app, openBodyBudget())
  sendContinue(app)
  refuseUnknownRoutes(app)
  const waitForEarlier = startInOrder(app.server)
  const takeTurn = createTurns()
  app.addHook('preHandler', (request, _reply, done) => {
    const { authorized } = request
    if (authorized === undefined) done()
    else waitForEarlier(request.raw, () => takeTurn(authorized.caller.accountId, done))
  })
  app.addHook('onResponse', (_request, reply, done) => {
    logRequest(reply, 'request completed')
    done()
  })
  const failures = openFailedAuthentications(() => options.context.clock())
  const finishList = createListHook()
  for (const addRoutes of ROUTES) addRoutes(app, { ...options, failures, finishList })
  return app
}
