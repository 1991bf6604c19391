import type { AssetRoom, TypeUsage, Usage } from '../../domain/usage.ts'
import type { AccountSummary } from '../account-data.ts'
import type { DatabaseIdentity } from '../database.ts'
import type { TrashAll } from '../trash-data.ts'
import { removalStatementsOf } from './account-removal.ts'
import {
  LATEST_TOKEN_MS,
  toAccount,
  toFoundKey,
  toKey,
  toSession,
  toUploadToken,
} from './account-rows.ts'
import { archiveStatements } from './archive-rows.ts'
import { backupStatements } from './backup-rows.ts'
import { bulkStatementsOf } from './bulk-jobs.ts'
import { type Dialect, statement } from './dialect.ts'
import { FOLDER_MOVE_COLUMNS, toFolderMove, toFolderMoveRecord } from './folders.ts'
import { ACCOUNT_COLUMNS, ACCOUNT_STATE, lifecycleStatementsOf } from './lifecycle-statements.ts'
import { mailQueueOf } from './mail-queue.ts'
import { mailStatementsOf } from './mail-statements.ts'
import { operatorStatementsOf } from './operator-statements.ts'
import { orderStatementsOf } from './order-statements.ts'
import { productFileStatementsOf } from './product-files.ts'
import { PRODUCT_COLUMNS, toProduct } from './product-rows.ts'
import { ASSET_COLUMNS, toAsset, toUpload, toVersion, UPLOAD_COLUMNS } from './rows.ts'
import { readStateStatement } from './service-state.ts'
import { DELIVERY_COLUMNS, toDelivery, toWebhookState, WEBHOOK_STATE } from './webhook-rows.ts'

type OfAccount = { account: string }
type Own = { account: string; id: string }

/** A ready file. The rows of replacements are never ready. */
const READY_FILE = `id = :id and account_id = :account and status = 'ready' and kind = 'file'`

/** The key of the current object of an asset. */
const OBJECT_KEY = 'coalesce(assets.object_key, assets.id)'

const CURRENT_VERSION = `version, coalesce(object_key, id) as object_key, storage_id, chunk_size, filename, bytes, mime,
  coalesce(version_created_at, created_at) as created_at, true as is_current, version_changes + 1 as replaced_in`
const OLDER_VERSION =
  'version, object_key, storage_id, chunk_size, filename, bytes, mime, created_at, false, replaced_in'

/** A column with the integrity of the object with this key. */
export function checksumOf({ jsonArray }: Dialect, key: string): string {
  const columns = jsonArray('c.sha256', 'c.verified_at', 'c.damaged', 'c.withheld_for is not null')
  return `(select ${columns} from checksums c where c.object_key = ${key}) as checksum`
}

/** A condition: downloads do not get the object with this key. */
export function isWithheld(key: string): string {
  return `exists (
    select 1 from checksums c where c.object_key = ${key} and c.withheld_for is not null)`
}

/** A condition: the upload token has expired, or was revoked. */
export function isTokenExpired({ clock, later }: Dialect): string {
  return `(upload_tokens.revoked_at is not null or upload_tokens.expires_at <= ${clock}
    or upload_tokens.expires_at > ${later(clock, LATEST_TOKEN_MS)})`
}

/** Whether a key has expired, by the database's clock. */
export function isKeyExpired({ clock }: Pick<Dialect, 'clock'>): string {
  return `(keys.expires_at is not null and keys.expires_at <= ${clock})`
}

/** The statements that are the same in both engines, but for the dialect. Most of them only read. */
export function statementsOf(dialect: Dialect) {
  const uploadColumns = `${UPLOAD_COLUMNS.join(', ')}, ${checksumOf(dialect, OBJECT_KEY)}`

  return {
    lifecycle: lifecycleStatementsOf(dialect),
    removal: removalStatementsOf(dialect),
    backups: backupStatements(dialect),
    mails: mailStatementsOf(dialect),
    operator: operatorStatementsOf(dialect),
    mailQueue: mailQueueOf(dialect),
    orders: orderStatementsOf(dialect, (key) => checksumOf(dialect, key)),
    ...archiveStatements(dialect, checksumOf(dialect, OBJECT_KEY)),

    findAccount: statement<{ name: string }>(
      `select ${ACCOUNT_COLUMNS} from accounts where name = :name`,
    ).first(toAccount),
    listAccounts: statement(`select ${ACCOUNT_COLUMNS} from accounts order by name`).every(
      toAccount,
    ),
    readSummary: statement<OfAccount>(
      `select name, plan_name as "planName", plan_assets as "planAssets", plan_storage as "limit", stored_bytes as stored,
         reserved_bytes as reserved, trash_bytes as trash, asset_count as assets
       from accounts where id = :account`,
    ).first((row: AccountSummary) => row),
    readPlanUsage: statement<OfAccount>(
      `select plan_storage as "limit", stored_bytes as stored, reserved_bytes as reserved
       from accounts where id = :account`,
    ).first((row: Usage) => row),
    /** Undefined if the plan allows any number of assets. */
    readAssetRoom: statement<OfAccount>(
      `select plan_assets as "limit", asset_count + (
         select count(*) from assets
         where account_id = :account and status in ('uploading', 'completing') and replaces is null) as used
       from accounts where id = :account and plan_assets is not null`,
    ).first((row: AssetRoom) => row),
    readUsage: statement<OfAccount>(
      `select type, bytes, assets from usage_by_type
       where account_id = :account and (assets > 0 or bytes > 0) order by bytes desc, type`,
    ).every((row: TypeUsage) => row),

    findKey: statement<{ hash: string }>(
      `select keys.*, ${isKeyExpired(dialect)} as is_expired, ${ACCOUNT_STATE} as account_state
       from keys join accounts on accounts.id = keys.account_id where hash = :hash`,
    ).first(toFoundKey),
    listKeys: statement<OfAccount>(
      'select * from keys where account_id = :account order by id',
    ).every(toKey),
    touchKey: statement<{ id: string; now: Date }>(
      'update keys set last_used_at = :now where id = :id',
    ).none(),
    findSession: statement<{ hash: string }>(
      `select key_hash, expires_at from sessions
       where token_hash = :hash and expires_at > ${dialect.clock}`,
    ).first(toSession),
    findUploadToken: statement<{ hash: string }>(
      `select *, ${isTokenExpired(dialect)} as is_expired from upload_tokens where hash = :hash`,
    ).first(toUploadToken),
    findOwnUploadToken: statement<Own>(
      `select *, ${isTokenExpired(dialect)} as is_expired from upload_tokens
       where id = :id and account_id = :account`,
    ).first(toUploadToken),

    findAsset: statement<Own>(
      `select ${ASSET_COLUMNS.join(', ')}, ${checksumOf(dialect, OBJECT_KEY)} from assets
       where id = :id and account_id = :account and replaces is null`,
    ).first(toAsset),
    findUpload: statement<Own>(
      `select ${uploadColumns} from assets
       where id = :id and account_id = :account and upload_id is not null`,
    ).first(toUpload),
    findReplacement: statement<OfAccount & { asset: string; upload: string }>(
      `select ${uploadColumns} from assets
       where replaces = :asset and upload_id = :upload and account_id = :account`,
    ).first(toUpload),
    listVersions: statement<Own>(
      `select ${CURRENT_VERSION}, ${checksumOf(dialect, OBJECT_KEY)} from assets where ${READY_FILE}
       union all
       select ${OLDER_VERSION}, ${checksumOf(dialect, 'asset_versions.object_key')}
       from asset_versions where asset_id = (select id from assets where ${READY_FILE})
       order by version desc`,
    ).every(toVersion),
    findServedVersion: statement<Own>(
      `select ${CURRENT_VERSION}, ${checksumOf(dialect, OBJECT_KEY)}
       from assets where ${READY_FILE} and not ${isWithheld(OBJECT_KEY)}
       union all
       select ${OLDER_VERSION}, ${checksumOf(dialect, 'asset_versions.object_key')}
       from asset_versions where asset_id = (select id from assets where ${READY_FILE})
         and not ${isWithheld('asset_versions.object_key')}
       order by replaced_in desc limit 1`,
    ).first(toVersion),
    findProduct: statement<Own>(
      `select ${PRODUCT_COLUMNS.join(', ')} from products where id = :id and account_id = :account`,
    ).first(toProduct),
    ...bulkStatementsOf(dialect),
    handlesOfProducts: statement<OfAccount & { ids: string[] }>(
      `select p.id, h.handle from products p join product_handles h on ${dialect.handleOfProduct}
       where p.account_id = :account and ${dialect.isIdIn('p.id', 'ids')}`,
    ).every((row: { id: string; handle: string }) => ({ id: row.id, handle: row.handle })),
    ...productFileStatementsOf(dialect),
    findTrashAll: statement<OfAccount>(
      `select trash_until as until, trash_until_by as "by"
       from accounts where id = :account and trash_until is not null`,
    ).first((row: TrashAll) => row),
    listTrashAll: statement('select id from accounts where trash_until is not null').every(
      (row: { id: string }) => row.id,
    ),
    listFolderMoves: statement<OfAccount>(
      `select ${FOLDER_MOVE_COLUMNS} from folder_moves where account_id = :account order by id desc`,
    ).every(toFolderMove),
    listFolderMoveRecords: statement<OfAccount>(
      `select ${FOLDER_MOVE_COLUMNS} from folder_moves
       where account_id = :account and finished_at is null order by id`,
    ).every(toFolderMoveRecord),
    // Two parts, so that the finished moves of all accounts are not read.
    listUnfinishedFolderMoves: statement(
      `select account_id as account, id from folder_moves where finished_at is null
       union
       select account_id as account, id from folder_moves
       where id in (select move_id from folder_move_exceptions)
       order by id`,
    ).every((row: { account: string; id: string }) => row),
    listUnfinishedProductDeletions: statement(
      'select account_id as account, product_id as id from product_deletions order by product_id',
    ).every((row: { account: string; id: string }) => row),
    /** The actor of the first call stays. */
    markProductDeletion: statement<OfAccount & { id: string; actor: string }>(
      `insert into product_deletions (product_id, account_id, actor) values (:id, :account, :actor)
       on conflict do nothing`,
    ).none(),
    actorOfProductDeletion: statement<{ id: string }>(
      `select actor from product_deletions where product_id = ${dialect.id('id')}`,
    ).first(({ actor }: { actor: string }) => actor),
    postponeVerification: statement<{ key: string; due_at: Date }>(
      'update checksums set due_at = :due_at where object_key = :key and queue is not null',
    ).none(),

    // Halves the range of IDs in each step. A missing event counts as older.
    firstEventSince: statement<OfAccount & { time: Date }>(
      `with recursive search (low, high) as (
         select forgotten_event + 1, last_event + 1 from accounts where id = :account
         union all
         select case when e.created_at >= :time then low else (low + high) / 2 + 1 end,
           case when e.created_at >= :time then (low + high) / 2 else high end
         from search left join events e on e.account_id = :account and e.id = (low + high) / 2
         where low < high
       )
       select low as first from search where low >= high`,
    ).first(({ first }: { first: number }) => first),

    listWebhooks: statement<OfAccount>(
      `select ${WEBHOOK_STATE} from webhooks where account_id = :account order by id`,
    ).every(toWebhookState),
    findWebhook: statement<Own>(
      `select ${WEBHOOK_STATE} from webhooks where account_id = :account and id = :id`,
    ).first(toWebhookState),
    // Deliveries are reached only through a webhook of the account.
    findDelivery: statement<Own & { webhook: string }>(
      `select ${DELIVERY_COLUMNS}, body from deliveries
       where webhook_id = (select id from webhooks where account_id = :account and id = :webhook)
         and id = :id`,
    ).first(toDelivery),

    readIdentity: statement('select id, storage_id, unfinished_move from identity').first(
      toIdentity,
    ),
    bindStorage: statement<{ storage: string }>(
      'update identity set storage_id = coalesce(storage_id, :storage) returning storage_id',
    ).first((row: { storage_id: string }) => row.storage_id),
    rebindStorage: statement<{ storage: string }>(
      'update identity set storage_id = :storage',
    ).none(),
    setUnfinishedMove: statement<{ from: string | null }>(
      'update identity set unfinished_move = :from',
    ).none(),
    readSecretKeyId: statement('select secret_key_id from identity').first(
      (row: { secret_key_id: string | null }) => row.secret_key_id ?? undefined,
    ),
    bindSecretKey: statement<{ id: string; replaced: string | null }>(
      `update identity set secret_key_id = case
         when secret_key_id is not distinct from cast(:replaced as text) then :id else secret_key_id end
       returning secret_key_id`,
    ).first((row: { secret_key_id: string }) => row.secret_key_id),
    hasSealedSecrets: statement(
      `select exists (select 1 from webhooks where secret like 'sealed:%')
         or exists (select 1 from orders where token like 'sealed:%') as is_sealed`,
    ).first((row: { is_sealed: boolean | number }) => Boolean(row.is_sealed)),
    readState: readStateStatement(dialect),
    findNewerMigration: statement<{ known: string[] }>(
      `select name from migrations where not (${dialect.isIn('name', 'known')})
       order by name desc limit 1`,
    ).first((row: { name: string }) => row.name),
  }
}

export type Statements = ReturnType<typeof statementsOf>

interface IdentityRow {
  id: string
  storage_id: string | null
  unfinished_move: string | null
}

function toIdentity({ id, storage_id, unfinished_move }: IdentityRow): DatabaseIdentity {
  return { id, storageId: storage_id ?? undefined, unfinishedMove: unfinished_move ?? undefined }
}
