import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/errors.ts'
import { keyActor, tokenActor } from '../domain/event.ts'
import { type Actor, includesScope, type KeyScope } from '../domain/key.ts'
import type { UploadToken } from '../domain/upload-token.ts'
import { authenticate, type Caller, type Credentials } from '../operations/authentication.ts'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { limitRate, type RateLimitStatus } from '../operations/rate-limit.ts'
import { tokenExpired } from '../operations/refusals.ts'
import { networkOf } from './client-address.ts'

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
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (origin === undefined && isReading) return
  throw new ServiceError(
    'forbidden',
    `This upload token is only valid on pages of ${token.origin}, but the request has ${origin === undefined ? 'no Origin' : `the Origin ${origin}`}. Request a token for this page.`,
  )
}

/** A client may fail this often at once, and then once a second. */
const BURST = 100
const REFILL_MS = 1_000
/** The networks that failed most recently. At about 200 bytes each, they need 2 MB. */
const MAX_NETWORKS = 10_000

export interface FailedAuthentications {
  /**
   * Counts a request with a wrong key, upload token or session cookie from this address. Returns the error to respond
   * with: the given one, or `too_many_requests`.
   */
  count(address: string, error: ServiceError): { error: ServiceError; retryAfterSeconds?: number }
}

/**
 * Limits how often an address, or an IPv6 network, may send wrong credentials. Requests with valid ones are not
 * limited: a shop behind the same address is still served.
 */
export function openFailedAuthentications(clock: () => Date): FailedAuthentications {
  /** When the failures so far will be forgotten, by network. The network that failed least recently is the first. */
  const forgottenAt = new Map<string, number>()
  return {
    count(address, error) {
      const network = networkOf(address)
      const now = clock().getTime()
      const until = Math.max(now, forgottenAt.get(network) ?? 0)
      const excessMs = until + REFILL_MS - now - BURST * REFILL_MS
      forgottenAt.delete(network)
      // Refused requests do not count, so that the wait is as long as announced.
      forgottenAt.set(network, excessMs > 0 ? until : until + REFILL_MS)
      const [oldest] = forgottenAt.keys()
      if (forgottenAt.size > MAX_NETWORKS && oldest !== undefined) forgottenAt.delete(oldest)
      if (excessMs <= 0) return { error }
      const retryAfterSeconds = Math.ceil(excessMs / 1000)
      const message = `Too many requests with wrong keys came from this address. Check the key, and retry in ${retryAfterSeconds} s.`
      return { error: new ServiceError('too_many_requests', message), retryAfterSeconds }
    },
  }
}

/**
 * With https, the prefix `__Host-` keeps other hosts, such as subdomains, from setting the cookie. The port
 * is part of the name, because browsers send a cookie to every port of its host.
 */
function cookieName(baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl)
  return `${protocol === 'https:' ? '__Host-' : ''}stowage-session${port && `-${port}`}`
}

/** The token of the cookie, from a page of any origin. Use it only to end the session. */
export function findSessionToken({ headers }: FastifyRequest, baseUrl: string): string | undefined {
  const name = `${cookieName(baseUrl)}=`
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
  const [cookie, ...others] = cookies.filter((one) => one.startsWith(name))
  // A second cookie of this name was set by another program on this host.
  return others.length > 0 ? undefined : cookie?.slice(name.length)
}

/** The token of the cookie. Throws `forbidden` if the request comes from another origin. */
export function readSessionToken(request: FastifyRequest, baseUrl: string): string | undefined {
  const token = findSessionToken(request, baseUrl)
  if (token !== undefined && !isSameOrigin(request, baseUrl)) {
    throw new ServiceError(
      'forbidden',
      'The session cookie is only accepted from pages of the dashboard itself. Send an API key instead.',
    )
  }
  return token
}

/** Without `maxAgeMs`, the browser keeps the cookie until it is closed. */
export function setSessionCookie(
  reply: FastifyReply,
  baseUrl: string,
  { token, maxAgeMs }: { token: string; maxAgeMs?: number | undefined },
): void {
  const attributes = [
    `${cookieName(baseUrl)}=${token}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
    ...(maxAgeMs === undefined ? [] : [`Max-Age=${Math.floor(maxAgeMs / 1000)}`]),
  ]
  reply.header('Set-Cookie', attributes.join('; '))
}

export function clearSessionCookie(reply: FastifyReply, baseUrl: string): void {
  setSessionCookie(reply, baseUrl, { token: '', maxAgeMs: 0 })
}

const READING = /^(GET|HEAD)$/

/**
 * Whether the request may use the session cookie: it comes from a page of the service itself. Sibling
 * subdomains and other ports are the same site for SameSite, but not the same origin.
 *
 * Browsers send Sec-Fetch-Site (https and loopback only) and, with every method but GET and HEAD, Origin.
 * Pages can set neither. A GET with neither header comes from a page over plain http, or from a program;
 * pages of other origins cannot read its response, because it allows no credentials (CORS).
 */
export function isSameOrigin({ method, headers }: FastifyRequest, baseUrl: string): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  // `none`: the user entered the URL.
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && READING.test(method))
  if (origin === undefined) return READING.test(method)
  const own = new URL(baseUrl)
  return origin === own.origin || origin === `${own.protocol}//${host}`
}
