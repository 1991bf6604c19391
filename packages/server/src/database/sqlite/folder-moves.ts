import { type FolderMove, movesOverlap } from '../../domain/folder.ts'
import { folderRange, pathOfStored, searchPath, storedFolder } from '../../domain/names.ts'
import {
  FOLDER_MOVE_BATCH,
  type FolderMoveOutcome,
  type FolderMoveProgress,
  type FolderMoveRecord,
  KEPT_FOLDER_MOVES,
  MAX_COUNTED_ASSETS,
  MAX_FOLDER_MOVES,
  type MoveAssetsOutcome,
  type NewFolderMove,
} from '../folder-data.ts'
import {
  FOLDER_MOVE_COLUMNS,
  type FolderMoveRow,
  isMovable,
  isMovedTo,
  type MovableRow,
  moveRow,
  toFolderMove,
  toFolderMoveColumns,
  toMoved,
} from '../shared/folders.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { type Connection, encode } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import type { Steps } from './long-writes.ts'

/** Fewer than `FOLDER_MOVE_BATCH`, because a transaction blocks the event loop: some milliseconds. */
const BATCH = 40
/** Rows without references, which are deleted much faster than assets are changed. */
const FORGOTTEN = FOLDER_MOVE_BATCH

const IN_FOLDER =
  'account_id = :account and folder is not null and folder >= :from and folder < :until'

export function prepareFolderMoves(connection: Connection) {
  const { prepare, transaction } = connection
  const { recordUpdate } = prepareRecordEvents(connection)
  const move = prepareMoveRow(connection)
  const unfinished = prepare<FolderMoveRow>(
    `select ${FOLDER_MOVE_COLUMNS} from folder_moves
     where account_id = :account and finished_at is null`,
  )
  const findMove = prepare<FolderMoveRow>(
    `select ${FOLDER_MOVE_COLUMNS} from folder_moves where account_id = :account and id = :id`,
  )
  // The rows of assets that have ended are forgotten soon. So many of them count as assets.
  const isFilled = prepare<{ is_filled: number }>(
    `select exists (select 1 from assets where status = 'ready' and ${IN_FOLDER})
       or (select count(*) >= 1000 or sum(status in ('uploading', 'completing') or trashed_at is not null) > 0
           from (select status, trashed_at from assets where ${IN_FOLDER} limit 1000)) as is_filled`,
  )
  const countTarget = prepare<{ assets: number }>(
    `select count(*) as assets from (
       select 1 from assets where status = 'ready' and ${IN_FOLDER} limit ${MAX_COUNTED_ASSETS + 1})`,
  )
  const insert = prepare(
    `insert into folder_moves (id, account_id, source, source_end, destination, actor, created_at, moved)
     values (:id, :account_id, :source, :source_end, :destination, :actor, :created_at, :moved)
     on conflict do nothing`,
  )
  const forgetFinished = prepare(
    `delete from folder_moves where account_id = :account and finished_at is not null and id not in (
       select id from folder_moves where account_id = :account and finished_at is not null
       order by id desc limit ${KEPT_FOLDER_MOVES})
       and not exists (select 1 from folder_move_exceptions where move_id = folder_moves.id)`,
  )
  const nextRows = prepare<MovableRow & { seq: number; is_excepted: number }>(
    `select seq, id, folder, status, replaces, trashed_at, exists (
         select 1 from folder_move_exceptions where move_id = :move and asset_id = assets.id
       ) as is_excepted
     from assets
     where account_id = :account and folder is not null and folder < :until
       and (folder, id) > (:after_folder, :after_id)
     order by folder, id limit ${BATCH}`,
  )
  const advance = prepare<FolderMoveRow>(
    `update folder_moves set moved = moved + :moved, after_folder = :after_folder,
       after_id = :after_id, finished_at = :finished_at
     where id = :id returning ${FOLDER_MOVE_COLUMNS}`,
  )
  const forgetExceptions = prepare(
    `delete from folder_move_exceptions where (move_id, asset_id) in (
       select move_id, asset_id from folder_move_exceptions where move_id = :id limit ${FORGOTTEN})`,
  )

  /** Moves the next assets. Of those, the ones that arrived later stay. */
  function moveBatch(account: string, row: FolderMoveRow) {
    const { id, source, actor, after_folder, after_id } = row
    const { from, until } = folderRange(source)
    const rows = nextRows.all({
      account,
      move: id,
      until,
      after_folder: after_folder ?? from,
      after_id: after_id ?? '',
    })
    let moved = 0
    for (const asset of rows) {
      const target = !asset.is_excepted && isMovable(asset) && moveRow(row, asset)
      if (!target) continue
      const { folder, search_path } = target
      move.run({ seq: asset.seq, folder, search_path, now: Date.now() })
      const previous = { path: pathOfStored(asset.folder) }
      recordUpdate({ account, actor }, asset.seq, { previous })
      moved += 1
    }
    const last = rows.at(BATCH - 1)
    const position = { after_folder: last?.folder ?? null, after_id: last?.id ?? null }
    const finished_at = last === undefined ? Date.now() : null
    const advanced = advance.get({ id, moved, ...position, finished_at }) ?? row
    return { advanced, compared: rows.length }
  }

  return {
    beginFolderMove(
      { account, actor }: Writer,
      { id, source, destination, createdAt }: NewFolderMove,
      { merge }: { merge: boolean },
    ): FolderMoveOutcome {
      return transaction(() => {
        const others = unfinished.all({ account })
        const other = others.find((one) => movesOverlap(one, { source, destination }))
        if (other !== undefined) return { outcome: 'overlaps', move: toFolderMove(other) }
        if (others.length >= MAX_FOLDER_MOVES) return { outcome: 'too_many_moves' }
        const range = folderRange(source)
        if (isFilled.get({ account, ...range })?.is_filled !== 1) {
          return { outcome: 'folder_not_found' }
        }
        const { assets = 0 } = countTarget.get({ account, ...folderRange(destination) }) ?? {}
        if (assets > 0 && !merge) {
          const isExact = assets <= MAX_COUNTED_ASSETS
          return { outcome: 'target_exists', assets: Math.min(assets, MAX_COUNTED_ASSETS), isExact }
        }
        forgetFinished.run({ account })
        const names = { from: source.slice(0, -1), to: destination.slice(0, -1) }
        const begun: FolderMove = { id, ...names, createdAt, finishedAt: null, moved: 0 }
        insert.run(encode(toFolderMoveColumns(account, { move: begun, by: actor })))
        return { outcome: 'begun', move: begun }
      })
    },

    continueFolderMove({ account }: Writer, id: string): FolderMoveProgress | undefined {
      return transaction(() => {
        const row = findMove.get({ account, id })
        if (row === undefined) return undefined
        const { advanced, compared } =
          row.finished_at === null ? moveBatch(account, row) : { advanced: row, compared: 0 }
        // Assets that arrive after the end need no exceptions.
        const isDone = advanced.finished_at !== null && forgetExceptions.run({ id }) < FORGOTTEN
        return { move: toFolderMove(advanced), compared, isDone }
      })
    },

    importFolderMove({ account }: Writer, record: FolderMoveRecord): void {
      insert.run(encode(toFolderMoveColumns(account, record)))
    },
  }
}

function prepareMoveRow({ prepare }: Connection) {
  return prepare(
    `update assets set folder = :folder, search_path = :search_path, updated_at = :now
     where seq = :seq`,
  )
}

/** Moves several assets, all or none. Each is a step. */
export function prepareBulkMoves(connection: Connection) {
  const { prepare } = connection
  const { recordUpdate } = prepareRecordEvents(connection)
  const move = prepareMoveRow(connection)
  const visible = prepare<{ id: string; seq: number; folder: string | null }>(
    `select id, seq, folder from assets
     where id in (select value from json_each(:ids)) and account_id = :account
       and replaces is null and status in ('uploading', 'completing', 'ready')`,
  )

  return {
    *moveAssets(
      writer: Writer,
      ids: string[],
      path: string | null,
      from?: string | null,
    ): Steps<MoveAssetsOutcome> {
      const { account } = writer
      const rows = visible.all({ account, ids: JSON.stringify(ids) })
      const known = new Set(rows.map(({ id }) => id))
      const unknown = ids.filter((id) => !known.has(id))
      if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
      const target = { folder: storedFolder(path), search_path: searchPath(path) }
      const moved = rows.filter(({ folder }) => isMovedTo(target, folder, from))
      for (const { seq, folder } of moved) {
        move.run({ seq, ...target, now: Date.now() })
        recordUpdate(writer, seq, { previous: { path: pathOfStored(folder) } })
        yield
      }
      return { outcome: 'done', moved: moved.map(toMoved) }
    },
  }
}
