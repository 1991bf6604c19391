import type * as wire from '@stowage/protocol'
import type { AccountSummary } from '../database/account-data.ts'
import type { Key, KeyScope } from '../domain/key.ts'
import { availableBytes } from '../domain/plan.ts'

export function presentAccount(
  summary: AccountSummary,
  scope: KeyScope,
): wire.AccountAnswer['data'] {
  const { name, planName, limit, stored, reserved, assets } = summary
  const plan = { name: planName, storage: limit }
  return { name, plan, stored, reserved, available: availableBytes(summary), assets, scope }
}

export function presentKey(key: Key): wire.Key {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope,
    hint: key.hint,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
