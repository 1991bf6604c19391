import type { Context } from '../context.ts'
import { getAccount } from './get-account.ts'

/** Changes what is given and keeps the rest. */
export async function changePlan(
  context: Pick<Context, 'database'>,
  accountName: string,
  change: { name?: string | undefined; storage?: number | undefined },
): Promise<void> {
  const account = await getAccount(context, accountName)
  await context.database.changePlan(account.id, {
    name: change.name ?? account.planName,
    storage: change.storage ?? account.planStorage,
  })
}
