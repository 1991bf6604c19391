import type { Asset, Upload } from '../../domain/asset.ts'
import { folderRange } from '../../domain/names.ts'
import type { Usage } from '../../domain/usage.ts'
import { TRASH_JOB } from '../shared/events.ts'
import { type AssetRow, toAsset } from '../shared/rows.ts'
import type { AccountMethods, BulkMethods, Writer } from '../shared/wire-account-data.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import {
  type AssetsOutcome,
  CORRECTED_TIMES,
  TRASH_BATCH,
  type TrashAll,
  type TrashQuery,
} from '../trash-data.ts'
import {
  allOf,
  execute,
  type Fragment,
  inTransaction,
  readPageWithTotal,
  type Sql,
} from './connection.ts'
import { recordAssetEvents, recordStorageLow } from './events.ts'
import { purge, purgeOldest } from './removals.ts'
import { assetColumns, FIRST_ID, STATEMENTS } from './rows.ts'
import { exceedAssets, lockAssetLimit } from './uploads.ts'
import { cancelReplacements } from './versions.ts'

type Apply = (rows: DeletableRow[]) => Promise<Upload[]>

interface Mark extends TrashAll {
  after: string | null
  /** Differs for each call. */
  call: number
}

/** The trash of an account. */
export function accountTrash(
  sql: Sql,
  writer: Writer,
): AccountMethods['trash'] & Pick<BulkMethods, 'trashAssets' | 'deleteAssets' | 'restoreAssets'> {
  const { account, actor } = writer

  /** Locks these assets in the order of their IDs. `unknown` are those that are neither ready nor in the trash. */
  async function lock(ids: string[]) {
    const rows = await sql<DeletableRow[]>`
      select id, status from assets
      where id = any(${ids}::uuid[]) and account_id = ${account} and ${isDeletable(sql)}
      order by id for no key update`
    const known = new Set(rows.map(({ id }) => id))
    return { rows: [...rows], unknown: ids.filter((id) => !known.has(id)) }
  }

  function change(
    ids: string[],
    { isAffected, apply }: { isAffected: (row: DeletableRow) => boolean; apply: Apply },
  ): Promise<AssetsOutcome> {
    return inTransaction(sql, async () => {
      const { rows, unknown } = await lock(ids)
      if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
      const changed = rows.filter(isAffected)
      const replacements = await apply(changed)
      return { outcome: 'done', changed: idsOf(changed), replacements }
    })
  }

  async function readAssets(ids: string[]): Promise<Asset[]> {
    const rows = await sql<AssetRow[]>`
      select ${assetColumns(sql)} from assets where id = any(${ids}::uuid[])`
    const byId = new Map(rows.map((row) => [row.id, toAsset(row)]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  async function readUsage(): Promise<Usage> {
    const usage = await execute(sql, STATEMENTS.readPlanUsage, { account })
    return { limit: 0, stored: 0, reserved: 0, ...usage }
  }

  /** `after` is the last asset of a whole batch. Undefined: no asset remains. */
  async function recordProgress({ call }: Mark, after: string | undefined): Promise<void> {
    const progress =
      after === undefined
        ? sql`trash_until = null, trash_until_by = null, trash_after = null`
        : sql`trash_after = greatest(trash_after, ${after}::uuid)`
    // A call that was made meanwhile starts from the beginning.
    const recorded = await sql`
      update accounts set ${progress} where id = ${account} and trash_calls = ${call}`
    if (recorded.count === 0) return
    await sql`
      delete from trash_exceptions
      where account_id = ${account} and asset_id <= coalesce(${after ?? null}::uuid, asset_id)`
  }

  return {
    trashAssets: (ids) =>
      change(ids, {
        isAffected: ({ status }) => status === 'ready',
        apply: (rows) => moveToTrash(sql, actor, idsOf(rows)),
      }),

    deleteAssets: (ids, isFromTrash = false) =>
      change(ids, {
        isAffected: ({ status }) => !isFromTrash || status !== 'ready',
        apply: (rows) => deletePermanently(sql, actor, rows),
      }),

    restoreAssets: (ids) =>
      inTransaction(sql, async () => {
        // Before all other locks, although the number of assets is known only with these.
        const isLimited = await lockAssetLimit(sql, account)
        await lockTrashedProducts(sql, account, ids)
        const { rows, unknown } = await lock(ids)
        if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
        const trashed = rows.filter(({ status }) => status !== 'ready').map(({ id }) => id)
        const isMore = isLimited && trashed.length > 0
        const exceeded = isMore ? await exceedAssets(sql, account, trashed.length) : undefined
        if (exceeded) return exceeded
        const needed = await bytesOf(sql, trashed)
        const isRestored =
          trashed.length === 0 || (await restoreRows(sql, writer, { ids: trashed, needed }))
        if (!isRestored) {
          return { outcome: 'storage_exceeded', usage: await readUsage(), needed }
        }
        return { outcome: 'restored', assets: await readAssets(ids), changed: trashed }
      }),

    beginTrashAll: () =>
      inTransaction(sql, async () => {
        // Each later statement sees all assets that became ready before the lock. Others are excepted when they do.
        await sql`select from accounts where id = ${account} for no key update`
        await sql`delete from trash_exceptions where account_id = ${account}`
        await sql`
          update accounts set trash_calls = trash_calls + 1, trash_until_by = ${actor},
            trash_after = null, trash_until = (
              select id from assets where account_id = ${account} and status = 'ready'
              order by id desc limit 1)
          where id = ${account}`
      }),

    continueTrashAll: () =>
      inTransaction(sql, async () => {
        const [mark] = await sql<Mark[]>`
          select trash_until as until, trash_after as after, trash_until_by as by, trash_calls as call
          from accounts where id = ${account} and trash_until is not null`
        if (mark === undefined) return 0
        const ready = await sql<{ id: string }[]>`
          select id from assets
          where account_id = ${account} and status = 'ready'
            and id > ${mark.after ?? FIRST_ID} and id <= ${mark.until}
          order by id limit ${TRASH_BATCH} for no key update`
        const ids = idsOf(ready)
        // A separate statement, so that it sees assets that were deleted and restored while this call waited for them. It
        // also reads the account again: another instance may have moved this batch meanwhile, and forgotten which assets
        // are excepted. Both in one statement, so that they belong together.
        const excepted = await sql<{ id: string }[]>`
          select coalesce(e.asset_id, ${FIRST_ID}) as id from accounts a
          left join trash_exceptions e on e.account_id = a.id and e.asset_id = any(${ids}::uuid[])
          where a.id = ${account} and a.trash_calls = ${mark.call} and a.trash_until is not null
            and a.trash_after is not distinct from ${mark.after}::uuid`
        // 0 would mean that none remains.
        if (excepted.length === 0) return Math.max(1, ids.length)
        const kept = new Set(idsOf(excepted))
        const moved = ids.filter((id) => !kept.has(id))
        await moveToTrash(sql, mark.by, moved)
        await recordProgress(mark, ids.at(TRASH_BATCH - 1))
        return ids.length
      }),

    async importTrashAll({ until, by }) {
      await sql`
        update accounts set trash_calls = trash_calls + 1, trash_until = ${until}, trash_until_by = ${by}
        where id = ${account} and trash_until is null`
    },

    emptyTrash: (until) =>
      inTransaction(sql, async () => {
        const ids = await sql<{ id: string }[]>`
          select id from assets
          where account_id = ${account} and trashed_at is not null and trashed_at <= ${until}
          order by trashed_at, id limit ${TRASH_BATCH}`
        return purgeLocked(sql, actor, idsOf(ids))
      }),

    removeOldestTrash: (bytes) => inTransaction(sql, () => purgeOldest(sql, writer, bytes)),
  }
}

/** The trash of all accounts. Instances may call this concurrently. */
export function globalTrash(sql: Sql): DatabaseMethods['trash'] {
  return {
    removeOldTrash: (keptForMs) =>
      inTransaction(sql, async () => {
        // These assets were deleted while the clock of the server was ahead.
        await sql`
          update assets set trashed_at = date_trunc('milliseconds', now()) where id = any(array(
            select id from assets where trashed_at is not null and trashed_at > now()
            limit ${CORRECTED_TIMES} for no key update skip locked))`
        const rows = await sql<{ id: string }[]>`
          select id from assets
          where trashed_at is not null
            and trashed_at <= now() - make_interval(secs => ${keptForMs / 1000})
          order by trashed_at limit ${TRASH_BATCH} for no key update skip locked`
        if (rows.length > 0) await purge(sql, TRASH_JOB, idsOf(rows))
        return rows.length
      }),
  }
}

/**
 * Locks these assets in the order of their IDs, and removes them. Those that another call removed or restored meanwhile
 * are left out.
 */
async function purgeLocked(sql: Sql, actor: string, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0
  const locked = await sql<{ id: string }[]>`
    select id from assets where id = any(${ids}::uuid[]) and trashed_at is not null
    order by id for no key update`
  await purge(sql, actor, idsOf(locked))
  // Includes those that were left out: 0 would mean that none remains.
  return ids.length
}

function idsOf(rows: Iterable<{ id: string }>): string[] {
  return Array.from(rows, ({ id }) => id)
}

export function accountTrashList(sql: Sql, account: string): AccountMethods['trashList'] {
  return {
    async listTrash(query) {
      const { page, perPage, after } = query
      const listed = allOf(sql, [
        sql`account_id = ${account} and trashed_at is not null`,
        ...filterOf(sql, query),
      ])
      const beforeCursor =
        after === undefined
          ? sql``
          : sql`and (trashed_at, id) < (${new Date(Number(after.value))}, ${after.id})`
      const offset = after === undefined ? (page - 1) * perPage : 0
      const { rows, total } = await readPageWithTotal<AssetRow & { trashed_at: Date }>(sql, {
        count: sql`select count(*) as total from assets where ${listed}`,
        page: sql`
          select ${assetColumns(sql)}, trashed_at from assets where ${listed} ${beforeCursor}
          order by trashed_at desc, id desc
          limit ${perPage} offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`,
        order: sql`trashed_at desc, id desc`,
      })
      return { rows: rows.map((row) => ({ ...toAsset(row), trashedAt: row.trashed_at })), total }
    },

    async selectTrash(query, limit) {
      const conditions = allOf(sql, [sql`trashed_at is not null`, ...filterOf(sql, query)])
      const rows = await sql<{ id: string }[]>`
        select id from assets where account_id = ${account} and ${conditions}
        order by trashed_at desc, id desc limit ${limit}`
      return idsOf(rows)
    },
  }
}

function filterOf(
  sql: Sql,
  { name, kind, folder, isDirect, tag, words = [] }: TrashQuery,
): Fragment[] {
  const conditions = words.map(
    (word) => sql`(strpos(search_name, ${word}) > 0 or strpos(search_path, ${word}) > 0)`,
  )
  if (name !== undefined) conditions.push(sql`strpos(search_name, ${name}) > 0`)
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
  if (folder !== undefined) {
    const { from, until } = folderRange(folder, { isDirect })
    conditions.push(sql`folder >= ${from} and folder < ${until}`)
  } else if (isDirect) conditions.push(sql`folder is null`)
  if (tag !== undefined) conditions.push(sql`${tag} = any(search_tags)`)
  return conditions
}

/** The row of an asset that is ready or in the trash. The rows of replacements are neither. */
export function isDeletable(sql: Sql): Fragment {
  return sql`(status = 'ready' or trashed_at is not null)`
}

/**
 * Excepts assets that just became ready from an unfinished deletion of all assets, which was requested before: a part
 * of the statement that makes them ready. `assets` has their rows. `counted` has the row of the account as the statement
 * leaves it: the statement has locked it, so a deletion is requested either before or after this change.
 */
export function exceptFromDeletion(
  sql: Sql,
  { assets, counted }: { assets: Fragment; counted: Fragment },
): Fragment {
  return sql`
    insert into trash_exceptions (account_id, asset_id)
    select a.account_id, a.id from ${assets} a, ${counted} c where a.id <= c.trash_until
    on conflict do nothing`
}

/**
 * Moves ready assets of one account to the trash, in the caller's transaction, which has locked them. Returns the
 * unfinished replacements that were cancelled.
 */
async function moveToTrash(sql: Sql, actor: string, ids: string[]): Promise<Upload[]> {
  if (ids.length === 0) return []
  // The rows of replacements are locked before the account, which the next statement locks.
  const replacements = await cancelReplacements(sql, actor, ids)
  await sql`select move_to_trash(${ids}::uuid[])`
  // A separate statement, so that it sees products that were attached while the caller waited for the assets.
  await sql`
    with versions as (
      update asset_versions set trashed = true where asset_id = any(${ids}::uuid[]) returning bytes
    ), detached as (
      delete from asset_products where asset_id = any(${ids}::uuid[]) returning asset_id, product_id
    ), kept as (
      insert into trashed_attachments (asset_id, product_id) select asset_id, product_id from detached
    ), sums as (
      select account_id, count(*) as assets, coalesce(sum(bytes) filter (where kind = 'file'), 0)
        + (select coalesce(sum(bytes), 0) from versions) as bytes
      from assets where id = any(${ids}::uuid[]) group by account_id
    )
    update accounts set asset_count = asset_count - sums.assets,
      stored_bytes = stored_bytes - sums.bytes, trash_bytes = trash_bytes + sums.bytes
    from sums where accounts.id = sums.account_id`
  await recordAssetEvents(sql, actor, 'asset.deleted', ids)
  return replacements
}

export interface DeletableRow {
  id: string
  status: string
}

/** Deletes assets that are ready or in the trash, in the caller's transaction, which has locked them. */
export async function deletePermanently(
  sql: Sql,
  actor: string,
  rows: DeletableRow[],
): Promise<Upload[]> {
  const ready = rows.filter(({ status }) => status === 'ready').map(({ id }) => id)
  const replacements = await moveToTrash(sql, actor, ready)
  await purge(
    sql,
    actor,
    rows.map(({ id }) => id),
  )
  return replacements
}

/** The bytes of these assets, with their older versions. */
async function bytesOf(sql: Sql, ids: string[]): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select ((select coalesce(sum(bytes), 0) from assets where id = any(${ids}::uuid[]) and kind = 'file')
      + (select coalesce(sum(bytes), 0) from asset_versions where asset_id = any(${ids}::uuid[]))
      )::bigint as bytes`
  return row?.bytes ?? 0
}

/**
 * Locks the products of assets in the trash. Products are locked before assets. The array comes first in every plan: a join
 * may look up all products of the account in the trash, whose statistics are old right after a large deletion.
 */
async function lockTrashedProducts(sql: Sql, account: string, ids: string[]): Promise<void> {
  await sql`
    select from products where account_id = ${account} and id = any(array(
      select product_id from trashed_attachments where asset_id = any(${ids}::uuid[])))
    order by product_id, variant_id for key share`
}

/**
 * Restores assets in the trash, in the caller's transaction, which has locked them. False if the plan has no room
 * for their bytes.
 */
async function restoreRows(
  sql: Sql,
  writer: Writer,
  { ids, needed }: { ids: string[]; needed: number },
): Promise<boolean> {
  const { account, actor } = writer
  const [counted] = await sql<{ trash_until: string | null }[]>`
    update accounts set asset_count = asset_count + ${ids.length},
      stored_bytes = stored_bytes + ${needed}, trash_bytes = trash_bytes - ${needed}
    where id = ${account}
      and (${needed}::bigint = 0 or stored_bytes + reserved_bytes + ${needed} <= plan_storage)
    returning trash_until`
  if (counted === undefined) return false
  if (counted.trash_until !== null) {
    // An unfinished deletion of all assets was requested before: it leaves these.
    await sql`
      insert into trash_exceptions (account_id, asset_id)
      select ${account}, id from unnest(${ids}::uuid[]) id where id <= ${counted.trash_until}
      on conflict do nothing`
  }
  // The lock leaves out a product that was deleted after this statement started.
  await sql`
    with detached as materialized (
      select asset_id, product_id from trashed_attachments where asset_id = any(${ids}::uuid[])
    ), kept as (
      select id from products
      where account_id = ${account} and id = any(array(select product_id from detached)) for key share
    )
    insert into asset_products (asset_id, product_id)
    select asset_id, product_id from detached join kept on kept.id = product_id
    on conflict do nothing`
  await sql`delete from trashed_attachments where asset_id = any(${ids}::uuid[])`
  await sql`select restore_from_trash(${account}::uuid, ${ids}::uuid[])`
  await sql`
    update asset_versions set trashed = false where asset_id = any(${ids}::uuid[])`
  await recordAssetEvents(sql, actor, 'asset.restored', ids)
  await recordStorageLow(sql, writer, needed)
  return true
}
