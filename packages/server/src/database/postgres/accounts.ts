import type { AccountData, AccountSummary } from '../account-data.ts'
import type { Account, Database } from '../database.ts'
import { PLAN_OPERATOR } from '../job-actors.ts'
import { begin, type Sql } from './connection.ts'
import { recordEvents } from './record-events.ts'
import { accountSnapshot } from './snapshots.ts'

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
    changePlan: (id, plan) =>
      begin(sql, async (transaction) => {
        const [changed] = await transaction<{ is_low: boolean }[]>`
          with before as (select plan_storage from accounts where id = ${id} for no key update)
          update accounts set plan_name = ${plan.name}, plan_storage = ${plan.storage}
          from before where id = ${id}
          returning (stored_bytes + reserved_bytes) * 10 >= accounts.plan_storage * 9
            and (stored_bytes + reserved_bytes) * 10 < before.plan_storage * 9 as is_low`
        if (!changed?.is_low) return
        const subjects = transaction`
          select s.id as account_id, 1 as position, ${accountSnapshot(transaction)} as data
          from accounts s where s.id = ${id}`
        const type = 'account.storage_low'
        await recordEvents(transaction, { type, actor: PLAN_OPERATOR, subjects })
      }),
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
