import { type Folder, type FolderMove, movesOverlap, subfolderRange } from '../../domain/folder.ts'
import { folderRange, pathOfStored, searchPath, storedFolder } from '../../domain/names.ts'
import {
  FOLDER_MOVE_BATCH,
  type FolderMoveOutcome,
  KEPT_FOLDER_MOVES,
  MAX_COUNTED_ASSETS,
  MAX_FOLDER_MOVES,
} from '../folder-data.ts'
import {
  FOLDER_MOVE_COLUMNS,
  type FolderMoveRow,
  type FolderRow,
  isMovable,
  isMovedTo,
  type MovableRow,
  type MoveAssets,
  type MovedRow,
  moveRow,
  toFolder,
  toFolderMove,
  toFolderMoveColumns,
  toMoved,
} from '../shared/folders.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import { type Fragment, inTransaction, type Sql } from './connection.ts'
import { recordMoves } from './events.ts'
import { FIRST_ID } from './rows.ts'

export function accountFolderList(sql: Sql, account: string): AccountMethods['folderList'] {
  return {
    async listFolders({ folder, after, limit }): Promise<Folder[]> {
      const { from, until } = subfolderRange(folder, after)
      const length = [...folder].length
      const listed = sql`account_id = ${account} and status = 'ready' and folder is not null`
      // The end of a folder's range has the character after `/` at its end.
      const end = sql`left(child, -1) || '0'`
      const childOf = (path: Fragment) =>
        sql`left(${path}, ${length}) || split_part(substr(${path}, ${length + 1}), '/', 1) || '/'`
      const rows = await sql<FolderRow[]>`
        with recursive found (child, number) as (
          (select ${childOf(sql`folder`)}, 1 from assets
           where ${listed} and folder >= ${from} and folder < ${until} order by folder limit 1)
          union all
          select (
            select ${childOf(sql`folder`)} from assets
            where ${listed} and folder >= ${end} and folder < ${until} order by folder limit 1
          ), number + 1
          from found where child is not null and number < ${limit}
        )
        select child as folder, (
            select count(*) from (
              select from assets where ${listed} and folder >= child and folder < ${end}
              limit ${MAX_COUNTED_ASSETS + 1}) counted
          ) as assets, exists (
            select from assets where ${listed} and folder > child and folder < ${end}
          ) as has_folders
        from found where child is not null order by number`
      return rows.map(toFolder)
    },

    async findLongPath(folder, maxLength) {
      const { from, until } = folderRange(folder)
      // A stored folder has one more character.
      const [row] = await sql<{ folder: string }[]>`
        select folder from assets
        where account_id = ${account} and folder is not null and folder >= ${from} and folder < ${until}
          and char_length(folder) > ${maxLength + 1}
          and (status in ('uploading', 'completing', 'ready') or trashed_at is not null)
        limit 1`
      return pathOfStored(row?.folder ?? null) ?? undefined
    },
  }
}

export function accountFolderMoves(
  sql: Sql,
  { account, actor }: Writer,
): AccountMethods['folderMoves'] & MoveAssets {
  const columns = sql.unsafe(FOLDER_MOVE_COLUMNS)

  function within(folder: string): Fragment {
    const { from, until } = folderRange(folder)
    return sql`account_id = ${account} and folder is not null and folder >= ${from} and folder < ${until}`
  }

  async function lockAccount(): Promise<void> {
    await sql`select from accounts where id = ${account} for no key update`
  }

  async function readUnfinished(): Promise<FolderMoveRow[]> {
    return await sql<FolderMoveRow[]>`
      select ${columns} from folder_moves where account_id = ${account} and finished_at is null`
  }

  async function insert(record: Parameters<typeof toFolderMoveColumns>[1]): Promise<void> {
    const row = toFolderMoveColumns(account, record)
    await sql`insert into folder_moves ${sql(row)} on conflict do nothing`
  }

  /** Assets are locked before the account, so this call does not hold the account's row. */
  async function lockNext({ source, after_folder, after_id }: FolderMoveRow) {
    const { from } = folderRange(source)
    // A snapshot of the positions. What arrives later is excepted.
    const found = await sql<{ id: string; folder: string }[]>`
      select id, folder from assets
      where ${within(source)} and (folder, id) > (${after_folder ?? from}, ${after_id ?? FIRST_ID})
      order by folder, id limit ${FOLDER_MOVE_BATCH}`
    const ids = found.map(({ id }) => id)
    const rows = await sql<MovableRow[]>`
      select id, folder, status, replaces, trashed_at from assets
      where id = any(${ids}::uuid[]) and ${within(source)} order by id for no key update`
    return { ids, rows: [...rows], last: found.at(FOLDER_MOVE_BATCH - 1) }
  }

  /** Moves the next assets. Of those, the ones that arrived later stay. */
  async function moveBatch(row: FolderMoveRow) {
    const { ids, rows, last } = await lockNext(row)
    await lockAccount()
    // Another instance may have moved this batch meanwhile.
    const [own] = await sql`
      select from folder_moves where id = ${row.id} and finished_at is null
        and after_folder is not distinct from ${row.after_folder}
        and after_id is not distinct from ${row.after_id}::uuid
      for no key update`
    if (own === undefined) return undefined
    // A separate statement, so that it sees what arrived while this call waited.
    const excepted = await sql<{ id: string }[]>`
      select asset_id as id from folder_move_exceptions
      where move_id = ${row.id} and asset_id = any(${ids}::uuid[])`
    const staying = new Set(excepted.map(({ id }) => id))
    const movable = rows.filter((asset) => !staying.has(asset.id) && isMovable(asset))
    const moved = movable.flatMap((asset) => moveRow(row, asset) ?? [])
    await changeFolders(sql, account, moved)
    const changed = new Set(moved.map(({ id }) => id))
    await recordMoves(
      sql,
      row.actor,
      movable.filter(({ id }) => changed.has(id)),
    )
    const [advanced] = await sql<FolderMoveRow[]>`
      update folder_moves set moved = moved + ${moved.length}, after_folder = ${last?.folder ?? null},
        after_id = ${last?.id ?? null},
        finished_at = case when ${last === undefined} then clock_timestamp() end
      where id = ${row.id} returning ${columns}`
    return { advanced, compared: ids.length }
  }

  async function isFilled(folder: string): Promise<boolean> {
    // The rows of assets that have ended are forgotten soon. So many of them count as assets.
    const [row] = await sql<{ is_filled: boolean }[]>`
      select exists (select from assets where status = 'ready' and ${within(folder)}) or (
        select count(*) >= 1000
          or bool_or(status in ('uploading', 'completing') or trashed_at is not null)
        from (select status, trashed_at from assets where ${within(folder)} limit 1000) found
      ) as is_filled`
    return row?.is_filled === true
  }

  async function countTarget(folder: string): Promise<number> {
    const [row] = await sql<{ assets: number }[]>`
      select count(*) as assets from (
        select from assets where status = 'ready' and ${within(folder)}
        limit ${MAX_COUNTED_ASSETS + 1}) counted`
    return row?.assets ?? 0
  }

  return {
    beginFolderMove: ({ id, source, destination, createdAt }, { merge }) =>
      inTransaction(sql, async (): Promise<FolderMoveOutcome> => {
        // Each later statement sees all assets that arrived before the lock. Others are excepted when they arrive.
        await lockAccount()
        const others = await readUnfinished()
        const other = others.find((one) => movesOverlap(one, { source, destination }))
        if (other !== undefined) return { outcome: 'overlaps', move: toFolderMove(other) }
        if (others.length >= MAX_FOLDER_MOVES) return { outcome: 'too_many_moves' }
        if (!(await isFilled(source))) return { outcome: 'folder_not_found' }
        const assets = await countTarget(destination)
        if (assets > 0 && !merge) {
          const isExact = assets <= MAX_COUNTED_ASSETS
          return { outcome: 'target_exists', assets: Math.min(assets, MAX_COUNTED_ASSETS), isExact }
        }
        await sql`
          delete from folder_moves
          where account_id = ${account} and finished_at is not null and id not in (
            select id from folder_moves where account_id = ${account} and finished_at is not null
            order by id desc limit ${KEPT_FOLDER_MOVES})
            and not exists (select from folder_move_exceptions where move_id = folder_moves.id)`
        const names = { from: source.slice(0, -1), to: destination.slice(0, -1) }
        const begun: FolderMove = { id, ...names, createdAt, finishedAt: null, moved: 0 }
        await insert({ move: begun, by: actor })
        return { outcome: 'begun', move: begun }
      }),

    continueFolderMove: (id) =>
      inTransaction(sql, async () => {
        const [row] = await sql<FolderMoveRow[]>`
          select ${columns} from folder_moves where id = ${id} and account_id = ${account}`
        if (row === undefined) return undefined
        const { advanced = row, compared = 0 } =
          (row.finished_at === null ? await moveBatch(row) : undefined) ?? {}
        const move = toFolderMove(advanced)
        if (advanced.finished_at === null) return { move, compared, isDone: false }
        // Assets that arrive after the end need no exceptions.
        const forgotten = await sql`
          delete from folder_move_exceptions where move_id = ${id} and asset_id = any(array(
            select asset_id from folder_move_exceptions where move_id = ${id}
            limit ${FOLDER_MOVE_BATCH}))`
        return { move, compared, isDone: forgotten.count < FOLDER_MOVE_BATCH }
      }),

    importFolderMove: (record) => insert(record),

    moveAssets: (ids, path, from) =>
      inTransaction(sql, async () => {
        const rows = await sql<{ id: string; folder: string | null }[]>`
          select id, folder from assets
          where id = any(${ids}::uuid[]) and account_id = ${account} and replaces is null
            and status in ('uploading', 'completing', 'ready')
          order by id for no key update`
        const known = new Set(rows.map(({ id }) => id))
        const unknown = ids.filter((id) => !known.has(id))
        if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
        const target = { folder: storedFolder(path), search_path: searchPath(path) }
        const moved = rows.filter(({ folder }) => isMovedTo(target, folder, from))
        await changeFolders(
          sql,
          account,
          moved.map(({ id }) => ({ id, ...target })),
        )
        await recordMoves(sql, actor, moved)
        return { outcome: 'done', moved: moved.map(toMoved) }
      }),
  }
}

/** Changes the folders of these assets, which the caller's transaction has locked. */
async function changeFolders(
  sql: Sql,
  account: string,
  rows: (Omit<MovedRow, 'folder'> & { folder: string | null })[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    select move_to_folders(${account}::uuid, ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ folder }) => folder)}::text[], ${rows.map(({ search_path }) => search_path)}::text[])`
}
