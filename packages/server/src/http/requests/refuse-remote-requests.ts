import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** Headers that proxies add, and browsers and HTTP clients do not. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/

/**
 * Without keys, anyone who can reach the service may use it. So it responds only to loopback host names
 * (another name that resolves to loopback is a DNS rebinding attack) and never to web pages of other
 * origins. Every request through a proxy on the same host comes from loopback, so proxied requests are
 * refused as well.
 */
export function refuseRemoteRequests(request: FastifyRequest, ownOrigin: string): void {
  const { host, origin } = request.headers
  // A request without a Host is refused later, for that reason.
  if (host !== undefined && !LOOPBACK_HOST.test(host)) {
    throw new ServiceError(
      'forbidden',
      'Without keys, the service responds only on a loopback address. Use a URL such as http://127.0.0.1:4000, or set STOWAGE_AUTH=keys.',
    )
  }
  const forwarded = Object.keys(request.headers).find((name) => FORWARDED.test(name))
  if (forwarded !== undefined) {
    throw new ServiceError(
      'forbidden',
      `The request came through a proxy (it has the header ${forwarded}), but the service runs without keys. ` +
        'Set STOWAGE_AUTH=keys, restart the service and create a key with `stowage keys add`.',
    )
  }
  const site = request.headers['sec-fetch-site']
  const isOtherOrigin = origin !== undefined && origin !== ownOrigin && origin !== `http://${host}`
  const isCrossSite = site === 'cross-site' || site === 'same-site'
  if (isOtherOrigin || isCrossSite) {
    throw new ServiceError(
      'forbidden',
      'Without keys, the service does not respond to web pages of other origins. Set STOWAGE_AUTH=keys to allow them.',
    )
  }
}
