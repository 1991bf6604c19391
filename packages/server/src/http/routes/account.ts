import { endpoints } from '@stowage/protocol'
import { readSummary } from '../../operations/account/read-summary.ts'
import { readUsage } from '../../operations/account/read-usage.ts'
import { presentAccount } from '../responses/present-account.ts'
import { route } from '../route.ts'
import type { RouteGroup } from './route-group.ts'

export const accountRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.readAccount, async ({ context, scope }) => {
    const { settings } = context
    return { data: presentAccount(await readSummary(context), { settings, scope }) }
  })

  route(app, options, endpoints.readUsage, async ({ context }) => {
    return { data: { types: await readUsage(context) } }
  })
}
