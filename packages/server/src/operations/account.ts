import type { AccountSummary } from '../database/account-data.ts'
import type { Account } from '../database/database.ts'
import { ServiceError } from '../domain/errors.ts'
import type { TypeUsage } from '../domain/usage.ts'
import type { AccountContext, Context } from './context.ts'

export type { AccountSummary }

/** The account’s plan, and how many bytes and assets it has. */
export function readSummary({ data }: Pick<AccountContext, 'data'>): Promise<AccountSummary> {
  return data.readSummary()
}

/** The bytes and assets of the account by type of file, most bytes first. */
export function readUsage({ data }: AccountContext): Promise<TypeUsage[]> {
  return data.readUsage()
}

export function listAccounts({ database }: Pick<Context, 'database'>): Promise<Account[]> {
  return database.listAccounts()
}

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

/** Short, and safe in commands, URLs and logs. */
const ACCOUNT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Refuses a name that is taken, so that two people never share an account by accident. */
export async function addAccount(
  { database, newId, clock }: Pick<Context, 'database' | 'newId' | 'clock'>,
  details: { name: string; planName: string; planStorage: number; planAssets: number | null },
): Promise<Account> {
  refuseBadName(details.name)
  const id = newId()
  const account = await database.ensureAccount({ id, ...details, createdAt: clock() })
  if (account.id !== id) throw nameTaken(details.name)
  return account
}

/** The account of an open service and of the admin key. It is created at every start. */
const OWN_ACCOUNT = 'default'

type OperatorContext = Pick<Context, 'database'>

/** Reads go on, and changes are refused. Takes effect immediately, on all instances. */
export async function suspendAccount(context: OperatorContext, name: string): Promise<void> {
  const account = await getAccount(context, name)
  await context.database.suspendAccount(account.id)
}

/** Ends a suspension, or a deletion whose removal has not begun. */
export async function resumeAccount(context: OperatorContext, name: string): Promise<void> {
  const account = await getAccount(context, name)
  if ((await context.database.resumeAccount(account.id)) === 'resumed') return
  throw new ServiceError(
    'invalid',
    `The data of the account ${name} is already being removed, so it cannot be restored.`,
  )
}

export async function renameAccount(
  context: OperatorContext,
  name: string,
  newName: string,
): Promise<void> {
  const account = await getAccount(context, name)
  refuseOwn(name, 'renamed')
  refuseBadName(newName)
  if (newName === name) return
  if (await context.database.renameAccount(account.id, newName)) return
  throw nameTaken(newName)
}

/** Refuses all calls from now on. What the account has is removed in the background after this time. */
export async function deleteAccount(
  context: OperatorContext,
  name: string,
  options: { afterMs: number },
): Promise<void> {
  const account = await getAccount(context, name)
  refuseOwn(name, 'deleted')
  await context.database.deleteAccount(account.id, options)
}

function refuseOwn(name: string, change: 'renamed' | 'deleted'): void {
  if (name !== OWN_ACCOUNT) return
  throw new ServiceError(
    'invalid',
    `The account ${name} cannot be ${change}: it belongs to the admin key, and to a service without keys.`,
  )
}

function refuseBadName(name: string): void {
  if (ACCOUNT_NAME.test(name)) return
  throw new ServiceError(
    'invalid',
    'Invalid account name. Use 1 to 64 characters (a-z, 0-9, dots, dashes, underscores), starting with a letter or digit.',
  )
}

function nameTaken(name: string): ServiceError {
  return new ServiceError('invalid', `The account ${name} already exists. Choose another name.`)
}

/** Changes what is given and keeps the rest. */
export async function changePlan(
  context: Pick<Context, 'database'>,
  accountName: string,
  change: {
    name?: string | undefined
    storage?: number | undefined
    assets?: number | null | undefined
  },
): Promise<void> {
  const account = await getAccount(context, accountName)
  await context.database.changePlan(account.id, {
    name: change.name ?? account.planName,
    storage: change.storage ?? account.planStorage,
    assets: change.assets,
  })
}
