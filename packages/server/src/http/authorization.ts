import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/errors.ts'
import { keyActor, tokenActor } from '../domain/event.ts'
import { type Actor, includesScope, type KeyScope } from '../domain/key.ts'
import type { UploadToken } from '../domain/upload-token.ts'
import {
  authenticate,
  type Caller,
  type Credentials,
  refuseSuspended,
} from '../operations/authentication.ts'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { limitRate, type RateLimitStatus } from '../operations/rate-limit.ts'
import { tokenExpired } from '../operations/refusals.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import { readSessionToken } from './session-cookie.ts'

export interface Authorized {
  /** Gives access to the caller’s account only. */
  context: AccountContext
  scope: KeyScope
  /** The caller’s key or upload token; null if the service requires none. */
  actor: Actor | null
  caller: Caller
}

/** A call that needs a key. */
interface ProtectedEndpoint {
  scope: KeyScope | 'operator'
  /** Whether upload tokens may make this call. */
  allowsUploadTokens: boolean
}

interface AuthorizationOptions {
  context: Context
  baseUrl: () => string
  failures: FailedAuthentications
}

/** Checks the caller’s key, upload token or session, its rate limit and its scope before the body is read. */
export async function authorize(
  { context, baseUrl, failures }: AuthorizationOptions,
  endpoint: ProtectedEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Authorized> {
  const credentials = credentialsOf(request, context, baseUrl())
  const caller = await authenticate(context, credentials).catch((refusal: unknown) => {
    const { authorization, sessionToken } = credentials
    const isWrong = refusal instanceof ServiceError && refusal.code === 'unauthenticated'
    if (!isWrong || (authorization === undefined && sessionToken === undefined)) throw refusal
    const { error, retryAfterSeconds } = failures.count(request.clientAddress, refusal)
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds)
    throw error
  })
  request.caller = caller
  // Shared caches never store responses to requests with a key, but they may with a cookie.
  if (caller.session !== undefined) reply.header('Cache-Control', 'no-store')
  const status = await limitRate(context, caller)
  if (status !== undefined) applyRateLimit(context, status, reply)
  if (caller.uploadToken !== undefined)
    checkUploadToken(caller.uploadToken, endpoint.allowsUploadTokens, request)
  const needed = endpoint.scope
  if (needed === 'operator') requireOperator(context, caller)
  else if (!includesScope(caller.scope, needed)) {
    throw new ServiceError(
      'forbidden',
      `This call requires a key with the scope ${needed}, but your key has the scope ${caller.scope}. Use another key.`,
    )
  }
  if (needed !== 'read' && !isReading(request)) await refuseSuspended(context, caller)
  const { accountId, scope, actor, uploadToken, tokenCreatedBy = null } = caller
  const by = uploadToken ? tokenActor(uploadToken.id, tokenCreatedBy) : keyActor(actor)
  const own = { ...forAccount(context, accountId, by), uploadToken }
  return { context: own, scope, actor, caller }
}

/** The key from the settings is the operator's. On an open service, everyone who reaches it is the operator. */
function requireOperator({ settings: { auth } }: Context, { adminHash }: Caller): void {
  if (auth.kind === 'open' || adminHash !== undefined) return
  throw new ServiceError(
    'forbidden',
    'This call requires the operator’s key, which is set by STOWAGE_ADMIN_KEY. Keys of accounts cannot make it.',
  )
}

function credentialsOf(request: FastifyRequest, context: Context, baseUrl: string): Credentials {
  const { authorization } = request.headers
  const mayHaveSession = authorization === undefined && context.settings.auth.kind === 'keys'
  return {
    authorization,
    sessionToken: mayHaveSession ? readSessionToken(request, baseUrl) : undefined,
  }
}

function applyRateLimit(context: Context, status: RateLimitStatus, reply: FastifyReply): void {
  const resetsAt = status.resetsAt.getTime()
  reply.headers({
    'X-RateLimit-Limit': status.limit,
    'X-RateLimit-Remaining': status.remaining,
    'X-RateLimit-Reset': resetsAt / 1000,
  })
  if (status.exceeded === undefined) return
  const seconds = Math.max(1, Math.ceil((resetsAt - context.clock().getTime()) / 1000))
  reply.header('Retry-After', seconds)
  throw new ServiceError(
    'too_many_requests',
    status.exceeded === 'key'
      ? `The limit of ${status.limit} requests per minute is exceeded. Retry in ${seconds} s.`
      : `All keys or upload tokens of the account together exceed its limit of requests per minute. Retry in ${seconds} s.`,
  )
}

/** Refuses calls that an upload token may not make, and pages of other origins than the token’s. */
function checkUploadToken(token: UploadToken, isAllowed: boolean, request: FastifyRequest): void {
  if (!isAllowed) {
    if (token.isExpired) throw tokenExpired(token)
    throw new ServiceError(
      'forbidden',
      'An upload token can only upload: start, resume, complete and cancel its own uploads. Use an API key for this call, and never put an API key into a web page.',
    )
  }
  const { origin } = request.headers
  if (token.origin === null || origin === token.origin) return
  // Browsers omit `Origin` for GET requests of a page to its own origin, and send it with all others.
  if (origin === undefined && isReading(request)) return
  throw new ServiceError(
    'forbidden',
    `This upload token is only valid on pages of ${token.origin}, but the request has ${origin === undefined ? 'no Origin' : `the Origin ${origin}`}. Request a token for this page.`,
  )
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}
