import type * as wire from '@stowage/protocol'
import { endpoints } from '@stowage/protocol'
import type { KeyScope } from '../../domain/key.ts'
import { availableBytes } from '../../domain/usage.ts'
import { type AccountSummary, readSummary, readUsage } from '../../operations/account.ts'
import type { Settings } from '../../operations/context.ts'
import { type RouteGroup, route } from '../route.ts'

export const accountRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.readAccount, async ({ context, scope }) => {
    const { settings } = context
    return { data: presentAccount(await readSummary(context), { settings, scope }) }
  })

  route(app, options, endpoints.readUsage, async ({ context }) => {
    return { data: { types: await readUsage(context) } }
  })
}

/** Settings of the service that clients need to know. */
type AccountSettings = Pick<Settings, 'trashForMs' | 'keepVersions' | 'checksums'>

function presentAccount(
  summary: AccountSummary,
  { settings, scope }: { settings: AccountSettings; scope: KeyScope },
): wire.AccountResponse['data'] {
  const { name, planName, planAssets, limit, stored, reserved, trash, assets } = summary
  const plan = { name: planName, storage: limit, assets: planAssets }
  return {
    name,
    plan,
    stored,
    reserved,
    trash,
    trash_for: Math.ceil(settings.trashForMs / 1000),
    keep_versions: settings.keepVersions,
    checksums: settings.checksums,
    available: availableBytes(summary),
    assets,
    scope,
  }
}
