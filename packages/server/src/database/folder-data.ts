import type { Folder, FolderMove } from '../domain/folder.ts'
import type { AssetsOutcome } from './trash-data.ts'

/** `continueFolderMove` changes at most this many assets in one transaction, so that other calls wait only briefly. */
export const FOLDER_MOVE_BATCH = 200

/** The assets of a folder are counted up to this number. */
export const MAX_COUNTED_ASSETS = 1_000

/** How many moves of an account can be unfinished at the same time. */
export const MAX_FOLDER_MOVES = 10

/** How many finished moves of an account are kept. */
export const KEPT_FOLDER_MOVES = 50

/** All folders are stored ones, with a slash at their end. */
export interface FolderQuery {
  /** The folder whose direct subfolders are listed; empty for the root. */
  folder: string
  /** Continues after the subfolder with this name. */
  after?: string
  limit: number
}

export interface NewFolderMove {
  id: string
  source: string
  destination: string
  createdAt: Date
}

export type FolderMoveOutcome =
  | { outcome: 'begun'; move: FolderMove }
  /** No asset is in the folder or below it. */
  | { outcome: 'folder_not_found' }
  /** The target has this many ready assets. At most `MAX_COUNTED_ASSETS` are counted. */
  | { outcome: 'target_exists'; assets: number; isExact: boolean }
  /** An unfinished move changes or reaches the same folders. */
  | { outcome: 'overlaps'; move: FolderMove }
  | { outcome: 'too_many_moves' }

export interface FolderMoveProgress {
  move: FolderMove
  /** How many assets this call has read. */
  compared: number
  isDone: boolean
}

/** An unfinished move with what a copy in another deployment needs. */
export interface FolderMoveRecord {
  move: FolderMove
  /** Who requested it, as JSON. */
  by: string
}

/** The folders of one account. A folder exists while an asset is in it or below it. */
export interface FolderData {
  /** The direct subfolders that have ready assets, sorted by their names as bytes of UTF-8. */
  listFolders(query: FolderQuery): Promise<Folder[]>

  /**
   * One of the paths in the folder or below it that has more than `maxLength` characters. Undefined if there is none.
   * The engines read one path after another, so a path that arrives meanwhile may be missed.
   */
  findLongPath(folder: string, maxLength: number): Promise<string | undefined>

  /**
   * Begins to move everything that is in the folder and below it now: ready assets, unfinished uploads, and assets in
   * the trash. `continueFolderMove` changes their paths. What arrives later under the old path stays, even if it was
   * there before. Costs the same for any number of assets.
   */
  beginFolderMove(move: NewFolderMove, options: { merge: boolean }): Promise<FolderMoveOutcome>

  /**
   * Changes the paths of the next assets of a move, at most `FOLDER_MOVE_BATCH`, and records `asset.updated` for each of
   * them. An asset whose new path would be too long stays. Undefined if the move is not known.
   * Instances may call it concurrently.
   */
  continueFolderMove(id: string): Promise<FolderMoveProgress | undefined>

  /** The unfinished moves, and the last finished ones, newest first. */
  listFolderMoves(): Promise<FolderMove[]>

  /** The unfinished moves, for a copy in another deployment. */
  listFolderMoveRecords(): Promise<FolderMoveRecord[]>

  /**
   * Copies an unfinished move of another deployment, before its assets: of those, it covers the ones whose record has
   * `isBeingMoved`.
   */
  importFolderMove(record: FolderMoveRecord): Promise<void>

  /**
   * Moves these assets to a folder; null for none. Unfinished uploads can be moved, too. All of them or none. An asset
   * that is in the folder already does not change.
   */
  moveAssets(assetIds: string[], path: string | null): Promise<MoveAssetsOutcome>
}

export type MoveAssetsOutcome =
  /** The assets whose folders are different now, with the previous paths. */
  | { outcome: 'done'; moved: { id: string; path: string | null }[] }
  | Extract<AssetsOutcome, { unknown: string[] }>
