import type { Account } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'

/** Short, and safe in commands, URLs and logs. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Refuses a name that is taken, so that two people never share an account by accident. */
export async function addAccount(
  { database, newId, clock }: Pick<Context, 'database' | 'newId' | 'clock'>,
  details: { name: string; planName: string; planStorage: number },
): Promise<Account> {
  if (!NAME.test(details.name)) {
    throw new ServiceError(
      'invalid',
      'Invalid account name. Use 1 to 64 characters (a-z, 0-9, dots, dashes, underscores), starting with a letter or digit.',
    )
  }
  const id = newId()
  const account = await database.ensureAccount({ id, ...details, createdAt: clock() })
  if (account.id !== id) {
    throw new ServiceError(
      'invalid',
      `The account ${details.name} already exists. Choose another name.`,
    )
  }
  return account
}
