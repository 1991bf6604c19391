import type { Folder, FolderMove } from '../../domain/folder.ts'
import {
  folderRange,
  MAX_PATH_LENGTH,
  pathOfStored,
  searchPath,
  storedFolder,
} from '../../domain/names.ts'
import {
  type FolderMoveRecord,
  MAX_COUNTED_ASSETS,
  type MoveAssetsOutcome,
} from '../folder-data.ts'
import { type Flag, type Time, toDate, toDateOrNull } from './rows.ts'

export interface FolderRow {
  folder: string
  /** Counted up to one more than `MAX_COUNTED_ASSETS`. */
  assets: number
  has_folders: Flag
}

export function toFolder({ folder, assets, has_folders }: FolderRow): Folder {
  return {
    path: folder.slice(0, -1),
    assets: Math.min(assets, MAX_COUNTED_ASSETS),
    isExact: assets <= MAX_COUNTED_ASSETS,
    hasFolders: Boolean(has_folders),
  }
}

export const FOLDER_MOVE_COLUMNS =
  'id, source, destination, created_at, finished_at, moved, actor, after_folder, after_id'

export interface FolderMoveRow {
  id: string
  source: string
  destination: string
  created_at: Time
  finished_at: Time | null
  moved: number
  actor: string
  after_folder: string | null
  after_id: string | null
}

export function toFolderMove(row: FolderMoveRow): FolderMove {
  return {
    id: row.id,
    from: row.source.slice(0, -1),
    to: row.destination.slice(0, -1),
    createdAt: toDate(row.created_at),
    finishedAt: toDateOrNull(row.finished_at),
    moved: row.moved,
  }
}

export function toFolderMoveRecord(row: FolderMoveRow): FolderMoveRecord {
  return { move: toFolderMove(row), by: row.actor }
}

/** The columns of an imported move. It starts from the beginning, with the assets that remain. */
export function toFolderMoveColumns(account: string, { move, by }: FolderMoveRecord) {
  const source = `${move.from}/`
  return {
    id: move.id,
    account_id: account,
    source,
    source_end: folderRange(source).until,
    destination: `${move.to}/`,
    actor: by,
    created_at: move.createdAt,
    moved: move.moved,
  }
}

export interface MovedRow {
  id: string
  folder: string
  search_path: string | null
}

/** The asset with its new path; undefined if that is too long. */
export function moveRow(
  { source, destination }: Pick<FolderMoveRow, 'source' | 'destination'>,
  { id, folder }: { id: string; folder: string },
): MovedRow | undefined {
  const moved = destination + folder.slice(source.length)
  const path = pathOfStored(moved)
  if ([...(path ?? '')].length > MAX_PATH_LENGTH) return undefined
  return { id, folder: moved, search_path: searchPath(path) }
}

/** A row that a move reads. */
export interface MovableRow {
  id: string
  folder: string
  status: string
  replaces: string | null
  trashed_at: Time | null
}

/**
 * Whether the row is an asset, or an upload that is not finished. Others have ended, and are forgotten soon. A new version
 * of a file has the path of its asset when it is completed.
 */
export function isMovable({ status, replaces, trashed_at }: MovableRow): boolean {
  if (replaces !== null) return false
  return trashed_at !== null || ['uploading', 'completing', 'ready'].includes(status)
}

/** `moveAssets` of an engine. With `from`, it leaves assets that are in another folder. */
export interface MoveAssets {
  moveAssets(ids: string[], path: string | null, from?: string | null): Promise<MoveAssetsOutcome>
}

/** Whether an asset in this stored folder moves. */
export function isMovedTo(
  target: { folder: string | null },
  folder: string | null,
  from: string | null | undefined,
): boolean {
  return folder !== target.folder && (from === undefined || folder === storedFolder(from))
}

export function toMoved({ id, folder }: { id: string; folder: string | null }) {
  return { id, path: pathOfStored(folder) }
}
