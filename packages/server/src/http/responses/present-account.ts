import type * as wire from '@stowage/protocol'
import type { KeyScope } from '../../domain/key.ts'
import { availableBytes } from '../../domain/plan.ts'
import type { AccountSummary } from '../../operations/account/read-summary.ts'

export function presentAccount(
  summary: AccountSummary,
  { trashForMs, scope }: { trashForMs: number; scope: KeyScope },
): wire.AccountResponse['data'] {
  const { name, planName, limit, stored, reserved, trash, assets } = summary
  const plan = { name: planName, storage: limit }
  return {
    name,
    plan,
    stored,
    reserved,
    trash,
    trash_for: Math.ceil(trashForMs / 1000),
    available: availableBytes(summary),
    assets,
    scope,
  }
}
