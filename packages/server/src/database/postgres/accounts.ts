import type { AccountData, AccountSummary } from '../account-data.ts'
import type { Account, Database } from '../database.ts'
import type { Sql } from './connection.ts'

interface AccountRow {
  id: string
  name: string
  plan_name: string
  plan_storage: number
  created_at: Date
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    planName: row.plan_name,
    planStorage: row.plan_storage,
    createdAt: row.created_at,
  }
}

type GlobalAccounts = Pick<
  Database,
  'ensureAccount' | 'findAccount' | 'listAccounts' | 'changePlan'
>

export function globalAccounts(sql: Sql): GlobalAccounts {
  async function findAccount(name: string): Promise<Account | undefined> {
    const [row] = await sql<AccountRow[]>`
      select id, name, plan_name, plan_storage, created_at from accounts where name = ${name}`
    return row && toAccount(row)
  }

  return {
    async ensureAccount(account) {
      await sql`
        insert into accounts (id, name, plan_name, plan_storage, created_at)
        values (${account.id}, ${account.name}, ${account.planName}, ${account.planStorage},
          ${account.createdAt})
        on conflict (name) do nothing`
      return (await findAccount(account.name)) ?? account
    },
    findAccount,
    async listAccounts() {
      const rows = await sql<AccountRow[]>`
        select id, name, plan_name, plan_storage, created_at from accounts order by name`
      return rows.map(toAccount)
    },
    async changePlan(id, plan) {
      await sql`
        update accounts set plan_name = ${plan.name}, plan_storage = ${plan.storage}
        where id = ${id}`
    },
  }
}

export function accountSummary(sql: Sql, account: string): Pick<AccountData, 'readSummary'> {
  return {
    async readSummary() {
      const [row] = await sql<AccountSummary[]>`
        select name, plan_name as "planName", plan_storage as "limit", stored_bytes as stored,
          reserved_bytes as reserved, trash_bytes as trash, asset_count as assets
        from accounts where id = ${account}`
      if (row === undefined) throw new Error(`there is no account ${account}`)
      return { ...row }
    },
  }
}
