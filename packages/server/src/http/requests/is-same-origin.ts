import type { FastifyRequest } from 'fastify'

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
