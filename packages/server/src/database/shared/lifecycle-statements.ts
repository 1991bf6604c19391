import type { AccountState } from '../../domain/key.ts'
import { toAccount } from './account-rows.ts'
import { type Dialect, statement } from './dialect.ts'

type OfAccount = { account: string }

export const ACCOUNT_COLUMNS = `id, name, plan_name, plan_storage, plan_assets, created_at, suspended_at,
  delete_at, removal_started_at`

/** Whether an account can be used, as a column. */
export const ACCOUNT_STATE = `case when accounts.delete_at is not null then 'deleted'
  when accounts.suspended_at is not null then 'suspended' else 'active' end`

/** The statements that suspend, resume, rename and delete accounts. */
export function lifecycleStatementsOf({ clock, later, lock }: Dialect) {
  return {
    findAccountState: statement<OfAccount>(
      `select ${ACCOUNT_STATE} as state from accounts where id = :account`,
    ).first(({ state }: { state: AccountState }) => state),
    lockAccount: statement<OfAccount>(
      `select ${ACCOUNT_COLUMNS} from accounts where id = :account ${lock}`,
    ).first(toAccount),
    suspend: statement<OfAccount>(
      `update accounts set suspended_at = ${clock} where id = :account`,
    ).none(),
    resume: statement<OfAccount>(
      'update accounts set suspended_at = null, delete_at = null where id = :account',
    ).none(),
    /** Before the row of the account, because all transactions lock in this order. */
    lockUploads: statement<OfAccount>(
      `select count(*) as uploads from (
         select id from assets where account_id = :account and status = 'uploading' order by id ${lock}) locked`,
    ).first(({ uploads }: { uploads: number }) => uploads),
    extendUploads: statement<OfAccount>(
      `update assets set expires_at = expires_at + (
         ${clock} - (select suspended_at from accounts where id = :account))
       where account_id = :account and status = 'uploading'`,
    ).none(),
    setDeletion: statement<OfAccount & { after: number }>(
      `update accounts set delete_at = ${later(clock, ':after')} where id = :account`,
    ).none(),
    rename: statement<OfAccount & { name: string }>(
      `update accounts set name = :name where id = :account
         and not exists (select 1 from accounts where name = :name) returning id`,
    ).first(() => true),
    importState: statement<
      OfAccount & { suspended_at: Date | null; delete_at: Date | null; started_at: Date | null }
    >(
      `update accounts set suspended_at = :suspended_at, delete_at = :delete_at,
         removal_started_at = :started_at where id = :account`,
    ).none(),
  }
}
