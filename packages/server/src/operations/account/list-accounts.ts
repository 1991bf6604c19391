import type { Account } from '../../database/database.ts'
import type { Context } from '../context.ts'

export function listAccounts({ database }: Pick<Context, 'database'>): Promise<Account[]> {
  return database.listAccounts()
}
