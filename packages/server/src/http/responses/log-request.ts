import type { FastifyReply } from 'fastify'
import type { Caller } from '../../operations/authentication.ts'

/** Longer paths cannot be valid. */
const MAX_PATH = 500

/** Logs which account sent the request, with which key, and from where. Never logs a secret. */
export function logRequest(
  reply: FastifyReply,
  event: 'request completed' | 'event stream started',
): void {
  const { request } = reply
  const { method, url, caller } = request
  const fields = {
    method,
    // Without the query, which may contain search terms.
    path: pathOf(url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    address: request.clientAddress,
  }
  request.log.info(
    caller ? { ...fields, account: caller.accountId, ...credentialOf(caller) } : fields,
    event,
  )
}

/** The token of a page of buyers is a secret, even in a URL that is misspelled. */
const PAGE_TOKEN = /(^|\/)(d|unsubscribe)\/+(file\/+)?[^/]+/i
/** The router decodes the path, so any of its characters may be encoded. */
const ENCODED = /%(2[0-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi

function pathOf(url: string): string {
  const path = (url.split('?', 1)[0] ?? '').slice(0, MAX_PATH)
  const decoded = path.replaceAll(ENCODED, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
  return PAGE_TOKEN.test(decoded) ? decoded.replace(PAGE_TOKEN, '$1$2/$3…') : path
}

/** How the caller authenticated, and the ID of its key or upload token. */
function credentialOf({ keyId, uploadToken, session }: Caller) {
  if (uploadToken !== undefined) return { auth: 'token', token: uploadToken.id }
  return { auth: session === undefined ? 'key' : 'session', key: keyId }
}
