import type { Key, NewKey } from '../../domain/key.ts'
import type { AccountData, AccountSummary } from '../account-data.ts'
import type { Account, Database } from '../database.ts'
import { begin, type Sql } from './connection.ts'

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

interface KeyRow extends Omit<NewKey, 'createdAt'> {
  account_id: string
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scope: row.scope,
    hash: row.hash,
    hint: row.hint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }
}

type AccountsAndKeys = Pick<
  Database,
  | 'ensureAccount'
  | 'findAccount'
  | 'listAccounts'
  | 'changePlan'
  | 'findKey'
  | 'touchKey'
  | 'countRequest'
>

export function globalAccounts(sql: Sql): AccountsAndKeys {
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
    async findKey(hash) {
      const [row] = await sql<KeyRow[]>`select * from keys where hash = ${hash}`
      return row && toKey(row)
    },
    async touchKey(id, now) {
      await sql`update keys set last_used_at = ${now} where id = ${id}`
    },
    async countRequest(who, windowStart) {
      const [row] = await sql<{ count: number }[]>`
        insert into request_counts (who, window_start, count) values (${who}, ${windowStart}, 1)
        on conflict (who, window_start) do update set count = request_counts.count + 1
        returning count`
      const count = row?.count ?? 1
      // Whoever begins a window deletes the old ones, except those that another deletes already.
      if (count === 1) {
        await sql`
          delete from request_counts where (who, window_start) in (
            select who, window_start from request_counts where window_start < ${windowStart}
            for update skip locked)`
      }
      return count
    },
  }
}

type OwnAccount = Pick<AccountData, 'readSummary' | 'addKey' | 'listKeys' | 'revokeKey'>

export function ownAccount(sql: Sql, account: string): OwnAccount {
  return {
    async readSummary() {
      const [row] = await sql<AccountSummary[]>`
        select name, plan_name as "planName", plan_storage as "limit", stored_bytes as stored,
          reserved_bytes as reserved, asset_count as assets
        from accounts where id = ${account}`
      if (row === undefined) throw new Error(`there is no account ${account}`)
      return { ...row }
    },
    async addKey(key) {
      const [row] = await sql<KeyRow[]>`
        insert into keys (id, account_id, name, scope, hash, hint, created_at)
        values (${key.id}, ${account}, ${key.name}, ${key.scope}, ${key.hash}, ${key.hint},
          ${key.createdAt})
        returning *`
      if (row === undefined) throw new Error('the key was not stored')
      return toKey(row)
    },
    async listKeys() {
      const rows = await sql<KeyRow[]>`
        select * from keys where account_id = ${account} order by id`
      return rows.map(toKey)
    },
    revokeKey: (keyId, { now, keepLast }) =>
      begin(sql, async (transaction) => {
        // Locked together: of the last two, revoked at once, one stays.
        const keys = await transaction<KeyRow[]>`
          select * from keys where account_id = ${account}
            and (id = ${keyId} or (scope = 'manage' and revoked_at is null))
          order by id for update`
        const key = keys.find(({ id }) => id === keyId)
        if (key === undefined) return 'not_found'
        const working = keys.filter(({ scope, revoked_at }) => scope === 'manage' && !revoked_at)
        const isLast = working.length === 1 && working[0]?.id === keyId
        if (keepLast && isLast) return 'last_manage_key'
        await transaction`
          update keys set revoked_at = coalesce(revoked_at, ${now}) where id = ${keyId}`
        return 'revoked'
      }),
  }
}
