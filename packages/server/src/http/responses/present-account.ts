import type * as wire from '@stowage/protocol'
import type { KeyScope } from '../../domain/key.ts'
import { availableBytes } from '../../domain/plan.ts'
import type { AccountSummary } from '../../operations/account/read-summary.ts'
import type { Settings } from '../../operations/context.ts'

/** Settings of the service that clients need to know. */
type AccountSettings = Pick<Settings, 'trashForMs' | 'checksums'>

export function presentAccount(
  summary: AccountSummary,
  { settings, scope }: { settings: AccountSettings; scope: KeyScope },
): wire.AccountResponse['data'] {
  const { name, planName, limit, stored, reserved, trash, assets } = summary
  const plan = { name: planName, storage: limit }
  return {
    name,
    plan,
    stored,
    reserved,
    trash,
    trash_for: Math.ceil(settings.trashForMs / 1000),
    checksums: settings.checksums,
    available: availableBytes(summary),
    assets,
    scope,
  }
}
