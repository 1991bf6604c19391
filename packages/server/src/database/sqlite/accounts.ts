import type { AccountSummary } from '../account-data.ts'
import type { Account } from '../database.ts'
import { PLAN_OPERATOR } from '../job-actors.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { Connection } from './statement.ts'

interface AccountRow {
  id: string
  name: string
  plan_name: string
  plan_storage: number
  created_at: number
}

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

/** Whether 90 % of the plan is used. */
function isLow({ limit, stored, reserved }: AccountSummary): boolean {
  return (stored + reserved) * 10 >= limit * 9
}

export function prepareAccounts(connection: Connection) {
  const { prepare, transaction } = connection
  const { recordEvent } = prepareRecordEvents(connection)
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
       reserved_bytes as reserved, trash_bytes as trash, asset_count as assets
     from accounts where id = :account`,
  )

  function findAccount(name: string): Account | undefined {
    const row = byName.get({ name })
    return row && toAccount(row)
  }

  return {
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
      transaction(() => {
        const before = summary.get({ account: id })
        updatePlan.run({ id, ...plan })
        const after = summary.get({ account: id })
        const isNewlyLow = before && after && !isLow(before) && isLow(after)
        if (isNewlyLow)
          recordEvent({ account: id, actor: PLAN_OPERATOR }, 'account.storage_low', after)
      })
    },
    readSummary(account: string): AccountSummary {
      const row = summary.get({ account })
      if (row === undefined) throw new Error(`there is no account ${account}`)
      return { ...row }
    },
  }
}
