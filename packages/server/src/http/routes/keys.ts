import { endpoints } from '@stowage/protocol'
import { createKey } from '../../operations/keys/create-key.ts'
import { listKeys } from '../../operations/keys/list-keys.ts'
import { revokeKey } from '../../operations/keys/revoke-key.ts'
import { presentKey } from '../../present-key.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const keyRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.listKeys, async ({ context }) => {
    return { data: (await listKeys(context)).map(presentKey) }
  })

  route(app, options, endpoints.createKey, async ({ context, body }, reply) => {
    const { key, secret } = await createKey(context, body)
    reply.header('Cache-Control', 'no-store')
    return { data: { ...presentKey(key), secret } }
  })

  route(app, options, endpoints.revokeKey, async ({ context, params }) => {
    await revokeKey(context, params.id, { keepLast: true })
    return { revoked: true }
  })
}
