import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestLinks } from '../../operations/lost-links.ts'
import { readUnsubscribeToken, unsubscribe } from '../../operations/subscriptions.ts'
import { openAddressLimit, openLimit } from '../failed-authentications.ts'
import { renderFind, renderLeave, renderResult } from '../pages/download/forms.ts'
import { type PageFrame, renderRefusal } from '../pages/download/page.ts'
import { chooseLanguage } from '../pages/download/texts.ts'
import type { RouteGroup } from '../route.ts'
import { sendPage } from './buyers.ts'

/** A network may ask this often at once, and then once in three minutes. */
const REQUESTS = { burst: 10, refillMs: 180_000 }
/** The URLs of an address may be asked for this often at once, and then once in ten minutes. */
const OF_ADDRESS = { burst: 3, refillMs: 600_000 }
/** A network may open this many unknown URLs at once, and then one a second. */
const UNKNOWN = { burst: 60, refillMs: 1_000 }

const MAX_BODY_BYTES = 4_000
const MAX_ADDRESS_LENGTH = 254
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be in an address.
const ADDRESS = /^[^\s@,;<>"\u0000-\u001f\u007f]+@[^\s@,;<>"\u0000-\u001f\u007f]+$/

/** The page for lost links, and the page to end the news of a shop. They need no key. */
export const mailPageRoutes: RouteGroup = (app, { context }) => {
  const clock = () => context.clock()
  const ofNetwork = openAddressLimit(clock, REQUESTS)
  const ofAddress = openLimit(clock, OF_ADDRESS)
  const unknown = openAddressLimit(clock, UNKNOWN)
  const storageOrigin = new URL(context.storage.url).origin
  const frameOf = ({ headers }: FastifyRequest): PageFrame => {
    return { acceptLanguage: headers['accept-language'], storageOrigin }
  }
  const isOff = context.mail.mode === 'off' || context.secretKey.isLost

  app.get('/find', async (request, reply) => {
    const frame = frameOf(request)
    if (isOff) return sendPage(reply, renderResult(frame, 'off'))
    return sendPage(reply, renderFind(frame, { isInvalid: false }))
  })

  const form = { config: { form: 'fields' as const, isBodyOptional: true } }
  app.post('/find', { ...form, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const frame = frameOf(request)
    if (isOff) return sendPage(reply, renderResult(frame, 'off'))
    // A body in JSON may have any type.
    const { email } = (request.body ?? {}) as { email?: unknown }
    const address = typeof email === 'string' ? email.trim() : ''
    if (address.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(address)) {
      return sendPage(reply.code(422), renderFind(frame, { isInvalid: true }))
    }
    const seconds = ofNetwork.exceed(request.clientAddress)
    if (seconds !== undefined) {
      return sendPage(reply.code(429).header('Retry-After', seconds), renderRefusal(frame, 'busy'))
    }
    // The page is the same: it must not tell that somebody else has asked for this address.
    if (ofAddress.exceed(address.toLowerCase()) === undefined) {
      const locale = chooseLanguage(frame.acceptLanguage, null)
      await requestLinks(context, { address, locale })
    }
    return sendPage(reply, renderResult(frame, 'sent'))
  })

  app.get<{ Params: { token: string } }>('/unsubscribe/:token', async (request, reply) => {
    const { token } = request.params
    const frame = frameOf(request)
    if (readUnsubscribeToken(context, token)) return sendPage(reply, renderLeave(frame, token))
    return refuseUnknown(request, reply)
  })

  // Mail programs post without showing a page: https://www.rfc-editor.org/rfc/rfc8058
  const ignored = { config: { form: 'ignored' as const, isBodyOptional: true } }
  app.post<{ Params: { token: string } }>(
    '/unsubscribe/:token',
    { ...ignored, bodyLimit: MAX_BODY_BYTES },
    async (request, reply) => {
      const found = readUnsubscribeToken(context, request.params.token)
      if (found === undefined) return refuseUnknown(request, reply)
      await unsubscribe(context, found)
      return sendPage(reply, renderResult(frameOf(request), 'left'))
    },
  )

  function refuseUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const seconds = unknown.exceed(request.clientAddress)
    if (seconds !== undefined) reply.code(429).header('Retry-After', seconds)
    else reply.code(404)
    const name = seconds === undefined ? 'unknown' : 'busy'
    return sendPage(reply, renderRefusal(frameOf(request), name))
  }
}
