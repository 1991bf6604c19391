import type { DatabaseSync } from 'node:sqlite'
import type { Usage } from '../../domain/plan.ts'
import type { Account, Books } from '../database.ts'
import { prepare } from './statement.ts'

interface AccountRow {
  id: string
  name: string
  plan_name: string
  plan_storage: number
}

interface BooksRow {
  id: string
  stored_bytes: number
  reserved_bytes: number
  asset_count: number
  actual_stored: number
  actual_reserved: number
  actual_assets: number
}

export function prepareAccounts(connection: DatabaseSync) {
  const insert = prepare(
    connection,
    `insert into accounts (id, name, plan_name, plan_storage, created_at)
     values (:id, :name, :plan_name, :plan_storage, :created_at)
     on conflict (name) do nothing`,
  )
  const byName = prepare<AccountRow>(
    connection,
    'select id, name, plan_name, plan_storage from accounts where name = :name',
  )
  const updatePlan = prepare(
    connection,
    'update accounts set plan_name = :name, plan_storage = :storage where id = :id',
  )
  const usage = prepare<Usage>(
    connection,
    `select plan_storage as "limit", stored_bytes as stored, reserved_bytes as reserved
     from accounts where id = :id`,
  )
  const books = prepare<BooksRow>(
    connection,
    `select a.id, a.stored_bytes, a.reserved_bytes, a.asset_count,
       coalesce(sum(s.bytes) filter (where s.status = 'ready' and s.kind = 'file'), 0)
         as actual_stored,
       coalesce(sum(s.bytes) filter (where s.status in ('uploading', 'completing')), 0)
         as actual_reserved,
       count(*) filter (where s.status = 'ready') as actual_assets
     from accounts a left join assets s on s.account_id = a.id
     group by a.id`,
  )
  return {
    ensureAccount(account: Account & { createdAt: Date }): Account {
      insert.run({
        id: account.id,
        name: account.name,
        plan_name: account.planName,
        plan_storage: account.planStorage,
        created_at: account.createdAt.getTime(),
      })
      const row = byName.get({ name: account.name })
      if (row === undefined) throw new Error(`the account ${account.name} vanished`)
      return {
        id: row.id,
        name: row.name,
        planName: row.plan_name,
        planStorage: row.plan_storage,
      }
    },

    changePlan(id: string, plan: { name: string; storage: number }): void {
      updatePlan.run({ id, ...plan })
    },

    findUsage(id: string): Usage | undefined {
      const row = usage.get({ id })
      return row && { ...row }
    },

    readBooks(): Books[] {
      return books.all().map((row) => ({
        accountId: row.id,
        counted: {
          stored: row.stored_bytes,
          reserved: row.reserved_bytes,
          assets: row.asset_count,
        },
        actual: {
          stored: row.actual_stored,
          reserved: row.actual_reserved,
          assets: row.actual_assets,
        },
      }))
    },
  }
}
