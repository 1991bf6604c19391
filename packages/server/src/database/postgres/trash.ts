import type { Asset, Upload } from '../../domain/asset.ts'
import type { Usage } from '../../domain/plan.ts'
import type { Writer } from '../cache-account-data.ts'
import type { Database } from '../database.ts'
import { TRASH_JOB } from '../job-actors.ts'
import {
  type AssetsOutcome,
  CORRECTED_TIMES,
  TRASH_BATCH,
  type TrashAll,
  type TrashData,
} from '../trash-data.ts'
import { begin, type Sql } from './connection.ts'
import { type DeletableRow, deletePermanently, isDeletable, moveToTrash } from './deletion.ts'
import { purge } from './purge.ts'
import { purgeOldest } from './purge-oldest.ts'
import { bytesOf, lockTrashedProducts, restoreRows } from './restore-rows.ts'
import { type AssetRow, assetColumns, toAsset } from './rows.ts'

type Trash = Omit<TrashData, 'attachAssets' | 'detachAssets' | 'listTrash'>

type Apply = (transaction: Sql, rows: DeletableRow[]) => Promise<Upload[]>

interface Mark extends TrashAll {
  after: string | null
  /** Differs for each call. */
  call: number
}

const FIRST = '00000000-0000-0000-0000-000000000000'

/** The trash of an account. */
export function accountTrash(sql: Sql, writer: Writer): Trash {
  const { account, actor } = writer

  /** Locks these assets in the order of their IDs. `unknown` are those that are neither ready nor in the trash. */
  async function lock(transaction: Sql, ids: string[]) {
    const rows = await transaction<DeletableRow[]>`
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
    return begin(sql, async (transaction) => {
      const { rows, unknown } = await lock(transaction, ids)
      if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
      const changed = rows.filter(isAffected)
      const replacements = await apply(transaction, changed)
      return { outcome: 'done', changed: changed.length, replacements }
    })
  }

  async function readAssets(transaction: Sql, ids: string[]): Promise<Asset[]> {
    const rows = await transaction<AssetRow[]>`
      select ${assetColumns(sql)} from assets where id = any(${ids}::uuid[])`
    const byId = new Map(rows.map((row) => [row.id, toAsset(row)]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  async function readUsage(transaction: Sql): Promise<Usage> {
    const [usage] = await transaction<Usage[]>`
      select plan_storage as "limit", stored_bytes as stored, reserved_bytes as reserved
      from accounts where id = ${account}`
    return { limit: 0, stored: 0, reserved: 0, ...usage }
  }

  /** `after` is the last asset of a whole batch. Undefined: no asset remains. */
  async function recordProgress(
    transaction: Sql,
    { call }: Mark,
    after: string | undefined,
  ): Promise<void> {
    const progress =
      after === undefined
        ? transaction`trash_until = null, trash_until_by = null, trash_after = null`
        : transaction`trash_after = greatest(trash_after, ${after}::uuid)`
    // A call that was made meanwhile starts from the beginning.
    const recorded = await transaction`
      update accounts set ${progress} where id = ${account} and trash_calls = ${call}`
    if (recorded.count === 0) return
    await transaction`
      delete from trash_exceptions
      where account_id = ${account} and asset_id <= coalesce(${after ?? null}::uuid, asset_id)`
  }

  return {
    trashAssets: (ids) =>
      change(ids, {
        isAffected: ({ status }) => status === 'ready',
        apply: (transaction, rows) => moveToTrash(transaction, actor, idsOf(rows)),
      }),

    deleteAssets: (ids) =>
      change(ids, {
        isAffected: () => true,
        apply: (transaction, rows) => deletePermanently(transaction, actor, rows),
      }),

    restoreAssets: (ids) =>
      begin(sql, async (transaction) => {
        await lockTrashedProducts(transaction, account, ids)
        const { rows, unknown } = await lock(transaction, ids)
        if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
        const trashed = rows.filter(({ status }) => status !== 'ready').map(({ id }) => id)
        const needed = await bytesOf(transaction, trashed)
        const isRestored =
          trashed.length === 0 || (await restoreRows(transaction, writer, { ids: trashed, needed }))
        if (!isRestored) {
          return { outcome: 'storage_exceeded', usage: await readUsage(transaction), needed }
        }
        return { outcome: 'restored', assets: await readAssets(transaction, ids) }
      }),

    beginTrashAll: () =>
      begin(sql, async (transaction) => {
        // Each later statement sees all assets that became ready before the lock. Others are excepted when they do.
        await transaction`select from accounts where id = ${account} for no key update`
        await transaction`delete from trash_exceptions where account_id = ${account}`
        await transaction`
          update accounts set trash_calls = trash_calls + 1, trash_until_by = ${actor},
            trash_after = null, trash_until = (
              select id from assets where account_id = ${account} and status = 'ready'
              order by id desc limit 1)
          where id = ${account}`
      }),

    continueTrashAll: () =>
      begin(sql, async (transaction) => {
        const [mark] = await transaction<Mark[]>`
          select trash_until as until, trash_after as after, trash_until_by as by, trash_calls as call
          from accounts where id = ${account} and trash_until is not null`
        if (mark === undefined) return 0
        const ready = await transaction<{ id: string }[]>`
          select id from assets
          where account_id = ${account} and status = 'ready'
            and id > ${mark.after ?? FIRST} and id <= ${mark.until}
          order by id limit ${TRASH_BATCH} for no key update`
        const ids = idsOf(ready)
        // A separate statement, so that it sees assets that were deleted and restored while this call waited for them. It
        // also reads the account again: another instance may have moved this batch meanwhile, and forgotten which assets
        // are excepted. Both in one statement, so that they belong together.
        const excepted = await transaction<{ id: string }[]>`
          select coalesce(e.asset_id, ${FIRST}) as id from accounts a
          left join trash_exceptions e on e.account_id = a.id and e.asset_id = any(${ids}::uuid[])
          where a.id = ${account} and a.trash_calls = ${mark.call} and a.trash_until is not null
            and a.trash_after is not distinct from ${mark.after}::uuid`
        // 0 would mean that none remains.
        if (excepted.length === 0) return Math.max(1, ids.length)
        const kept = new Set(idsOf(excepted))
        const moved = ids.filter((id) => !kept.has(id))
        await moveToTrash(transaction, mark.by ?? actor, moved)
        await recordProgress(transaction, mark, ids.at(TRASH_BATCH - 1))
        return ids.length
      }),

    async findTrashAll() {
      const [deletion] = await sql<TrashAll[]>`
        select trash_until as until, trash_until_by as by
        from accounts where id = ${account} and trash_until is not null`
      return deletion
    },

    async importTrashAll({ until, by }) {
      await sql`
        update accounts set trash_calls = trash_calls + 1, trash_until = ${until}, trash_until_by = ${by}
        where id = ${account} and trash_until is null`
    },

    emptyTrash: (until) =>
      begin(sql, async (transaction) => {
        const ids = await transaction<{ id: string }[]>`
          select id from assets
          where account_id = ${account} and trashed_at is not null and trashed_at <= ${until}
          order by trashed_at, id limit ${TRASH_BATCH}`
        return purgeLocked(transaction, actor, idsOf(ids))
      }),

    removeOldestTrash: (bytes) =>
      begin(sql, (transaction) => purgeOldest(transaction, writer, bytes)),
  }
}

/** The trash of all accounts. Instances may call this concurrently. */
export function globalTrash(sql: Sql): Pick<Database, 'removeOldTrash' | 'listTrashAll'> {
  return {
    removeOldTrash: (keptForMs) =>
      begin(sql, async (transaction) => {
        // These assets were deleted while the clock of the server was ahead.
        await transaction`
          update assets set trashed_at = date_trunc('milliseconds', now()) where id = any(array(
            select id from assets where trashed_at is not null and trashed_at > now()
            limit ${CORRECTED_TIMES} for no key update skip locked))`
        const rows = await transaction<{ id: string }[]>`
          select id from assets
          where trashed_at is not null
            and trashed_at <= now() - make_interval(secs => ${keptForMs / 1000})
          order by trashed_at limit ${TRASH_BATCH} for no key update skip locked`
        if (rows.length > 0) await purge(transaction, TRASH_JOB, idsOf(rows))
        return rows.length
      }),

    async listTrashAll() {
      const rows = await sql<{ id: string }[]>`
        select id from accounts where trash_until is not null`
      return idsOf(rows)
    },
  }
}

/**
 * Locks these assets in the order of their IDs, and removes them. Those that another call removed or restored meanwhile
 * are left out.
 */
async function purgeLocked(transaction: Sql, actor: string, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0
  const locked = await transaction<{ id: string }[]>`
    select id from assets where id = any(${ids}::uuid[]) and trashed_at is not null
    order by id for no key update`
  await purge(transaction, actor, idsOf(locked))
  // Includes those that were left out: 0 would mean that none remains.
  return ids.length
}

function idsOf(rows: Iterable<{ id: string }>): string[] {
  return Array.from(rows, ({ id }) => id)
}
