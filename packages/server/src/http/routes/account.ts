import { endpoints } from '@stowage/protocol'
import { createKey } from '../../operations/keys/create-key.ts'
import { revokeKey } from '../../operations/keys/revoke-key.ts'
import { presentAccount, presentKey } from '../present-account.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const accountRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.readAccount, async ({ context, scope }) => {
    return { data: presentAccount(await context.data.readSummary(), scope) }
  })

  route(app, options, endpoints.readUsage, async ({ context }) => {
    return { data: { types: await context.data.readUsage() } }
  })

  route(app, options, endpoints.listKeys, async ({ context }) => {
    return { data: (await context.data.listKeys()).map(presentKey) }
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
