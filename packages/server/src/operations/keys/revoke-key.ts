import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

/** Stops the key at once. `keepLast` refuses the last manage key, which could not be replaced. */
export async function revokeKey(
  { data, clock }: Pick<AccountContext, 'data' | 'clock'>,
  keyId: string,
  { keepLast }: { keepLast: boolean },
): Promise<void> {
  const outcome = await data.revokeKey(keyId, { now: clock(), keepLast })
  if (outcome === 'not_found') {
    throw new ServiceError('not_found', 'There is no such key. Check its id.')
  }
  if (outcome === 'last_manage_key') {
    throw new ServiceError(
      'last_manage_key',
      'This is the last manage key: without it nobody could make another. Create a new one first.',
    )
  }
}
