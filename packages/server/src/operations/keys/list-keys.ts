import type { Key } from '../../domain/key.ts'
import type { AccountContext } from '../context.ts'

/** All keys of the account, including those that were revoked in the last 90 days, oldest first. */
export function listKeys({ data }: Pick<AccountContext, 'data'>): Promise<Key[]> {
  return data.listKeys()
}
