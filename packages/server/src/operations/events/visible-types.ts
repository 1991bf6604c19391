import { EVENT_TYPES } from '@stowage/protocol'
import type { EventType } from '../../domain/event.ts'
import { includesScope, type KeyScope } from '../../domain/key.ts'
import { ServiceError } from '../../errors.ts'

/**
 * The types of events that a caller gets; undefined means all. Events of API keys, upload tokens and webhooks are about
 * access to the account, and require the scope `manage`. Throws `forbidden` if the caller requested them without it.
 */
export function visibleTypes(
  scope: KeyScope,
  requested: EventType[] | undefined,
): EventType[] | undefined {
  if (includesScope(scope, 'manage')) return requested
  if (requested?.some(requiresManage)) {
    throw new ServiceError(
      'forbidden',
      `Events of API keys, upload tokens and webhooks require a key with the scope manage, but your key has the scope ${scope}. Use another key, or request other types.`,
    )
  }
  return requested ?? EVENT_TYPES.filter((type) => !requiresManage(type))
}

function requiresManage(type: EventType): boolean {
  return /^(key|token|webhook)\./.test(type)
}
