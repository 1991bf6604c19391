import type * as wire from '@stowage/protocol'
import type { AccountSummary } from '../database/account-data.ts'
import type { Key } from '../domain/key.ts'
import { availableBytes } from '../domain/plan.ts'

export function presentAccount(summary: AccountSummary): wire.AccountAnswer['data'] {
  const { name, planName, limit, stored, reserved, assets } = summary
  const available = availableBytes(summary)
  return { name, plan: { name: planName, storage: limit }, stored, reserved, available, assets }
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
