import type { AccountSummary } from '../../database/account-data.ts'
import type { AccountContext } from '../context.ts'

export type { AccountSummary }

/** The account’s plan, and how many bytes and assets it has. */
export function readSummary({ data }: Pick<AccountContext, 'data'>): Promise<AccountSummary> {
  return data.readSummary()
}
