import { EVENT_TYPES } from '@stowage/protocol'
import type { EventType } from '../../domain/event.ts'
import { includesScope, type KeyScope } from '../../domain/key.ts'
import { ServiceError } from '../../errors.ts'

/**
 * The types of events that a caller gets; undefined means all. Events of API keys have the data of `GET /keys`, and
 * require the same scope. Throws `forbidden` if the caller requested them.
 */
export function visibleTypes(
  scope: KeyScope,
  requested: EventType[] | undefined,
): EventType[] | undefined {
  if (includesScope(scope, 'manage')) return requested
  if (requested?.some(isOfKeys)) {
    throw new ServiceError(
      'forbidden',
      `Events of API keys require a key with the scope manage, but your key has the scope ${scope}. Use another key, or request other types.`,
    )
  }
  return requested ?? EVENT_TYPES.filter((type) => !isOfKeys(type))
}

function isOfKeys(type: EventType): boolean {
  return type.startsWith('key.')
}
