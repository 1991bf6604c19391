import type { Account } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'

/** Short, and safe in commands, addresses and logs. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Refuses a name that is taken: two people must not end up in one account by accident. */
export async function addAccount(
  { database, newId, clock }: Pick<Context, 'database' | 'newId' | 'clock'>,
  details: { name: string; planName: string; planStorage: number },
): Promise<Account> {
  if (!NAME.test(details.name)) {
    throw new ServiceError(
      'invalid',
      'An account’s name has 1 to 64 of a-z, 0-9, dot, dash and underscore, and begins with a letter or digit.',
    )
  }
  const id = newId()
  const account = await database.ensureAccount({ id, ...details, createdAt: clock() })
  if (account.id !== id) {
    throw new ServiceError('invalid', `There is an account ${details.name} already.`)
  }
  return account
}

export async function getAccount(
  { database }: Pick<Context, 'database'>,
  name: string,
): Promise<Account> {
  const account = await database.findAccount(name)
  if (account === undefined) throw new ServiceError('not_found', `There is no account ${name}.`)
  return account
}
