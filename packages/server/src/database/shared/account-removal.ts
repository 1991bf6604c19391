import { type Dialect, statement } from './dialect.ts'

type OfAccount = { account: string }

/** Another instance continues a removal that was not continued for this time. */
const REMOVAL_CLAIM_MS = 60_000

const OF_ACCOUNT = 'account_id = :account'
const ofParent = (column: string, table: string) =>
  `${column} in (select id from ${table} where account_id = :account)`

/**
 * Everything that an account has besides its ready assets, its trash and its unfinished uploads, which are deleted before:
 * a table, its key, and which rows belong to the account. Rows that refer to others come before these. Those of a table
 * that is not listed are deleted with the row that they belong to. A test fails for a table that is neither.
 */
const ROWS: [table: string, key: string, condition: string][] = [
  ['deliveries', 'id', ofParent('webhook_id', 'webhooks')],
  ['webhooks', 'id', OF_ACCOUNT],
  ['mails', 'id', OF_ACCOUNT],
  ['notices', 'id', OF_ACCOUNT],
  ['orders', 'id', OF_ACCOUNT],
  ['download_counts', 'kind, day, subject, account_id', OF_ACCOUNT],
  ['branding', 'account_id', OF_ACCOUNT],
  ['mail_settings', 'account_id', OF_ACCOUNT],
  ['mail_unsubscribed', 'account_id, address', OF_ACCOUNT],
  ['archives', 'id', OF_ACCOUNT],
  ['bulk_batches', 'job_id, number', ofParent('job_id', 'bulk_jobs')],
  ['bulk_jobs', 'id', OF_ACCOUNT],
  ['folder_move_exceptions', 'move_id, asset_id', ofParent('move_id', 'folder_moves')],
  ['folder_moves', 'id', OF_ACCOUNT],
  ['trash_exceptions', 'account_id, asset_id', OF_ACCOUNT],
  ['idempotency_keys', 'account_id, key', OF_ACCOUNT],
  [
    'assets',
    'id',
    `${OF_ACCOUNT} and status in ('cancelled', 'expired', 'deleted') and trashed_at is null`,
  ],
  ['product_files', 'account_id, product_id, asset_id', OF_ACCOUNT],
  ['products', 'id', OF_ACCOUNT],
  ['upload_tokens', 'id', OF_ACCOUNT],
  ['asset_tags', 'account_id, tag, asset_id', OF_ACCOUNT],
  ['tags', 'account_id, tag', OF_ACCOUNT],
  ['asset_blocks', 'account_id, first_id', OF_ACCOUNT],
  ['usage_by_type', 'account_id, type', OF_ACCOUNT],
  [
    'sessions',
    'token_hash',
    'key_id in (select cast(id as text) from keys where account_id = :account)',
  ],
  ['keys', 'id', OF_ACCOUNT],
  ['events', 'account_id, id', OF_ACCOUNT],
]

/** The tables whose rows `ROWS` names. */
export const REMOVED_TABLES = ROWS.map(([table]) => table)

/** The statements that remove a deleted account. */
export function removalStatementsOf({ clock, earlier }: Dialect) {
  return {
    claim: statement(
      `update accounts set removal_started_at = ${clock} where id = (
         select id from accounts
         where delete_at is not null and delete_at <= ${clock} and (
           removal_started_at is null or removal_started_at <= ${earlier(clock, `${REMOVAL_CLAIM_MS}`)})
         order by delete_at limit 1)
       and (removal_started_at is null or removal_started_at <= ${earlier(clock, `${REMOVAL_CLAIM_MS}`)})
       returning id`,
    ).first(({ id }: { id: string }) => id),
    extendClaim: statement<OfAccount>(
      `update accounts set removal_started_at = ${clock} where id = :account and removal_started_at is not null
       returning id`,
    ).first(() => true),
    /** Another account, or another instance, may have its turn. */
    release: statement<OfAccount>(
      `update accounts set removal_started_at = ${earlier('removal_started_at', `${REMOVAL_CLAIM_MS}`)}
       where id = :account and removal_started_at is not null`,
    ).none(),
    hasAssets: statement<OfAccount>(
      'select 1 as one from assets where account_id = :account limit 1',
    ).first(() => true),
    /** The caller has locked the account. */
    dropSuperseded: statement<OfAccount>(
      `update removals set due_at = ${clock}, account_id = null, bytes = null
       where account_id = :account returning id`,
    ).rows((rows: readonly unknown[]) => rows.length),
    uncountSuperseded: statement<OfAccount>(
      'update accounts set superseded_bytes = 0 where id = :account',
    ).none(),
    forget: ROWS.map(([table, key, condition]) =>
      statement<OfAccount & { limit: number }>(
        `delete from ${table} where (${key}) in (
           select ${key} from ${table} where ${condition} order by ${key} limit :limit) returning 1 as gone`,
      ).rows((rows: readonly unknown[]) => rows.length),
    ),
    /** The events that were recorded after the last batch. The caller has locked the account. */
    forgetLastEvents: statement<OfAccount>('delete from events where account_id = :account').none(),
    remove: statement<OfAccount>(
      `delete from accounts where id = :account and removal_started_at is not null
         returning id`,
    ).first(() => true),
  }
}
