import type { Account } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'

export async function getAccount(
  { database }: Pick<Context, 'database'>,
  name: string,
): Promise<Account> {
  const account = await database.findAccount(name)
  if (account === undefined)
    throw new ServiceError(
      'not_found',
      `There is no account ${name}. Run stowage accounts ls to list the accounts.`,
    )
  return account
}
