import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** Headers that proxies add, and browsers and HTTP clients do not. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/

/**
 * Without keys, whoever reaches the service may use it. So it answers only when it is called by a
 * loopback name (a name of someone else's that resolves to loopback is a rebound one), and never a
 * web page of another origin. Through a proxy on the same host everyone comes from loopback, so a
 * request that came through one is refused.
 */
export function refuseStrangers(request: FastifyRequest, ownOrigin: string): void {
  const { host, origin } = request.headers
  // A request without a Host is refused for that, a moment later.
  if (host !== undefined && !LOOPBACK_HOST.test(host)) {
    throw new ServiceError(
      'forbidden',
      'Without keys the service answers only to its loopback address, such as 127.0.0.1.',
    )
  }
  const forwarded = Object.keys(request.headers).find((name) => FORWARDED.test(name))
  if (forwarded !== undefined) {
    throw new ServiceError(
      'forbidden',
      `The request came through a proxy (it has the header ${forwarded}), and the service runs without keys. ` +
        'Set STOWAGE_AUTH=keys, restart the service and create a key with `stowage keys add`.',
    )
  }
  const site = request.headers['sec-fetch-site']
  const isOtherOrigin = origin !== undefined && origin !== ownOrigin && origin !== `http://${host}`
  const isCrossSite = site === 'cross-site' || site === 'same-site'
  if (isOtherOrigin || isCrossSite) {
    throw new ServiceError(
      'forbidden',
      'Without keys the service does not answer web pages of other origins.',
    )
  }
}
