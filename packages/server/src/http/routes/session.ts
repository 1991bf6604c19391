import { endpoints, type Session } from '@stowage/protocol'
import { ServiceError } from '../../domain/errors.ts'
import type { Caller } from '../../operations/authentication.ts'
import { signIn, signOut } from '../../operations/session.ts'
import { nameCreated, type RouteGroup, route } from '../route.ts'
import {
  clearSessionCookie,
  findSessionToken,
  isSameOrigin,
  readSessionToken,
  setSessionCookie,
} from '../session-cookie.ts'

/** How a browser signs in: it exchanges an API key for a cookie that scripts cannot read. */
export const sessionRoutes: RouteGroup = (app, options) => {
  const { context, baseUrl } = options
  const isOpen = context.settings.auth.kind === 'open'

  route(app, options, endpoints.readSession, async ({ caller }, reply) => {
    reply.header('Cache-Control', 'no-store')
    return { data: presentSession(caller, caller.session?.expiresAt) }
  })

  route(app, options, endpoints.signIn, async ({ caller, body }, reply) => {
    const { headers } = reply.request
    const isFromPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
    // Otherwise a page of another origin could sign the user in to an account of its own.
    if (isFromPage && !isSameOrigin(reply.request, baseUrl())) {
      throw new ServiceError(
        'forbidden',
        'Pages of other origins cannot sign in. Send the API key with each call instead.',
      )
    }
    nameCreated(reply, options, { path: '/session' })
    reply.header('Cache-Control', 'no-store')
    if (isOpen) return { data: presentSession(caller) }
    const isRemembered = body.remember ?? false
    const { token, expiresAt } = await signIn(context, caller, { isRemembered })
    const previous = findSessionToken(reply.request, baseUrl())
    if (previous !== undefined) await signOut(context, previous)
    const maxAgeMs = isRemembered ? expiresAt.getTime() - context.clock().getTime() : undefined
    setSessionCookie(reply, baseUrl(), { token, maxAgeMs })
    return { data: presentSession(caller, expiresAt) }
  })

  route(app, options, endpoints.signOut, async ({ caller }, reply) => {
    if (isOpen) return { deleted: true }
    const token = caller.session?.token ?? readSessionToken(reply.request, baseUrl())
    if (token === undefined) return { deleted: true }
    await signOut(context, token)
    clearSessionCookie(reply, baseUrl())
    return { deleted: true }
  })
}

/** The key in use, and when its session ends, if there is one. */
function presentSession({ actor, key, scope }: Caller, expiresAt?: Date): Session {
  return {
    requires_key: actor !== null,
    key: actor && { ...actor, scope, hint: key?.hint ?? null },
    expires_at: expiresAt?.toISOString() ?? null,
  }
}
