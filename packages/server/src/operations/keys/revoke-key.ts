import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

/** Takes effect immediately. `keepLast` refuses to revoke the last manage key. */
export async function revokeKey(
  { data, clock }: Pick<AccountContext, 'data' | 'clock'>,
  keyId: string,
  { keepLast }: { keepLast: boolean },
): Promise<void> {
  const outcome = await data.revokeKey(keyId, { now: clock(), keepLast })
  if (outcome === 'not_found') {
    throw new ServiceError('not_found', 'There is no key with this ID. Check the ID.')
  }
  if (outcome === 'last_manage_key') {
    throw new ServiceError(
      'last_manage_key',
      'This is the last manage key of the account. Create another manage key first.',
    )
  }
}
