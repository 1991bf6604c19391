import type { AccountSummary } from '../account-data.ts'
import type { Account, Books } from '../database.ts'
import type { Connection } from './statement.ts'

interface AccountRow {
  id: string
  name: string
  plan_name: string
  plan_storage: number
  created_at: number
}

interface BooksRow {
  id: string
  stored_bytes: number
  reserved_bytes: number
  asset_count: number
  actual_stored: number
  actual_reserved: number
  actual_assets: number
  wrong_blocks: number
}

/** Every block beside what it has. */
const BLOCKS = `(
  select account_id, first_id, assets as counted, (
      select count(*) from assets where assets.account_id = b.account_id and status = 'ready'
        and id >= b.first_id and id < b.next_id) as actual
  from (
    select account_id, first_id, assets,
      lead(first_id, 1, '~') over (partition by account_id order by first_id) as next_id
    from asset_blocks) b)`

const COLUMNS = 'id, name, plan_name, plan_storage, created_at'

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    planName: row.plan_name,
    planStorage: row.plan_storage,
    createdAt: new Date(row.created_at),
  }
}

export function prepareAccounts({ prepare, transaction }: Connection) {
  const insert = prepare(
    `insert into accounts (id, name, plan_name, plan_storage, created_at)
     values (:id, :name, :plan_name, :plan_storage, :created_at)
     on conflict (name) do nothing`,
  )
  const byName = prepare<AccountRow>(`select ${COLUMNS} from accounts where name = :name`)
  const all = prepare<AccountRow>(`select ${COLUMNS} from accounts order by name`)
  const updatePlan = prepare(
    'update accounts set plan_name = :name, plan_storage = :storage where id = :id',
  )
  const summary = prepare<AccountSummary>(
    `select name, plan_name as planName, plan_storage as "limit", stored_bytes as stored,
       reserved_bytes as reserved, asset_count as assets
     from accounts where id = :account`,
  )
  const books = prepare<BooksRow>(
    `select a.id, a.stored_bytes, a.reserved_bytes, a.asset_count,
       coalesce(sum(s.bytes) filter (where s.status = 'ready' and s.kind = 'file'), 0)
         as actual_stored,
       coalesce(sum(s.bytes) filter (where s.status in ('uploading', 'completing')), 0)
         as actual_reserved,
       count(*) filter (where s.status = 'ready') as actual_assets,
       (select count(*) from ${BLOCKS} where account_id = a.id and counted <> actual)
         as wrong_blocks
     from accounts a left join assets s on s.account_id = a.id
     group by a.id`,
  )

  const balance = prepare(
    `update accounts set revision = revision + 1, (stored_bytes, reserved_bytes, asset_count) = (
       select coalesce(sum(bytes) filter (where status = 'ready' and kind = 'file'), 0),
         coalesce(sum(bytes) filter (where status in ('uploading', 'completing')), 0),
         count(*) filter (where status = 'ready')
       from assets where account_id = accounts.id)`,
  )
  const balanceBlocks = prepare(
    `update asset_blocks set assets = actual,
       revision = (select revision from accounts where id = asset_blocks.account_id)
     from ${BLOCKS} counted
     where counted.account_id = asset_blocks.account_id and counted.first_id = asset_blocks.first_id`,
  )

  function findAccount(name: string): Account | undefined {
    const row = byName.get({ name })
    return row && toAccount(row)
  }

  return {
    global: {
      ensureAccount(account: Account): Account {
        insert.run({
          id: account.id,
          name: account.name,
          plan_name: account.planName,
          plan_storage: account.planStorage,
          created_at: account.createdAt.getTime(),
        })
        return findAccount(account.name) ?? account
      },
      findAccount,
      listAccounts: (): Account[] => all.all().map(toAccount),
      changePlan(id: string, plan: { name: string; storage: number }): void {
        updatePlan.run({ id, ...plan })
      },
      balanceBooks(): void {
        transaction(() => {
          balance.run()
          balanceBlocks.run()
        })
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
          wrongBlocks: row.wrong_blocks,
        }))
      },
    },
    ofAccount: {
      readSummary(account: string): AccountSummary {
        const row = summary.get({ account })
        if (row === undefined) throw new Error(`there is no account ${account}`)
        return { ...row }
      },
    },
  }
}
