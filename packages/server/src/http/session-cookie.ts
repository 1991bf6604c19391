import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../domain/errors.ts'

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
