import { endpoints } from '@stowage/protocol'
import { createKey, listKeys, revokeKey } from '../../operations/keys.ts'
import { presentKey } from '../../wire/resources.ts'
import { readIdempotency, readTime } from '../requests.ts'
import { nameCreated, type RouteGroup, route } from '../route.ts'

export const keyRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.listKeys, async ({ context }) => {
    return { data: (await listKeys(context)).map(presentKey) }
  })

  route(app, options, endpoints.createKey, async (request, reply) => {
    const idempotency = readIdempotency(endpoints.createKey, request)
    const { name, scope, expires_at } = request.body
    const details = { name, scope, expiresAt: expires_at == null ? null : readTime(expires_at) }
    const { key, secret, isRepeated } = await createKey(request.context, details, idempotency)
    nameCreated(reply, options, { path: `/keys/${key.id}`, isRepeated })
    reply.header('Cache-Control', 'no-store')
    return { data: { ...presentKey(key), secret } }
  })

  route(app, options, endpoints.revokeKey, async ({ context, params }) => {
    await revokeKey(context, params.id, { keepLast: true })
    return { revoked: true }
  })
}
