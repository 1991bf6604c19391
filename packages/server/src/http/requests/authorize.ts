import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyActor, tokenActor } from '../../domain/event.ts'
import { type Actor, includesScope, type KeyScope } from '../../domain/key.ts'
import { ServiceError } from '../../errors.ts'
import { type AccountContext, type Context, forAccount } from '../../operations/context.ts'
import { authenticate, type Credentials } from '../../operations/keys/authenticate.ts'
import type { Caller } from '../../operations/keys/caller.ts'
import { limitRate, type RateLimitStatus } from '../../operations/keys/limit-rate.ts'
import { checkUploadToken } from './check-upload-token.ts'
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
  scope: KeyScope
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
  if (!includesScope(caller.scope, needed)) {
    throw new ServiceError(
      'forbidden',
      `This call requires a key with the scope ${needed}, but your key has the scope ${caller.scope}. Use another key.`,
    )
  }
  const { accountId, scope, actor, uploadToken, tokenCreatedBy = null } = caller
  const by = uploadToken ? tokenActor(uploadToken.id, tokenCreatedBy) : keyActor(actor)
  const own = { ...forAccount(context, accountId, by), uploadToken }
  return { context: own, scope, actor, caller }
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
