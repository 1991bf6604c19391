import type { Asset, Upload } from '../domain/asset.ts'
import type { Cursor, PageRequest } from '../domain/paging.ts'
import type { ProductSelection } from '../domain/product.ts'
import type { AssetsExceeded, Usage } from '../domain/usage.ts'

/**
 * `continueTrashAll` and the removal of the oldest trash change at most this many assets in one transaction, so that
 * other calls wait only briefly.
 */
export const TRASH_BATCH = 200

/** At most this many deletion times in the future are corrected in one transaction. */
export const CORRECTED_TIMES = 10_000

/** At most this many attachments of several assets are changed in one transaction. */
export const MAX_BULK_ATTACHMENTS = 100_000

export interface TrashedAsset extends Asset {
  trashedAt: Date
}

export interface TrashQuery extends PageRequest {
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Cursor
  /** Each word is part of the name or of the path. Folded by `searchWords`. */
  words?: string[]
  /** Part of the name, folded by `foldText`. */
  name?: string
  kind?: Asset['kind']
  /** In this folder or below it, as `folderOfFilter` returns it. */
  folder?: string
  /** As in `AssetQuery`. */
  isDirect?: boolean
  /** Has this tag, folded by `foldTag`. */
  tag?: string
}

/** An unfinished deletion of all assets, which `continueTrashAll` continues. */
export interface TrashAll {
  /** The highest ID of the assets. */
  until: string
  /** Who requested it, as JSON. */
  by: string
}

/** The outcome for several assets. Either all of them changed, or none. */
export type AssetsOutcome =
  /** `changed` are the IDs of the assets whose state changed. `replacements` are the unfinished ones that were cancelled. */
  | { outcome: 'done'; changed: string[]; replacements: Upload[] }
  | { outcome: 'assets_not_found'; unknown: string[] }

export type AssetsRestoreOutcome =
  /** `changed` are the IDs of those that were in the trash. */
  | { outcome: 'restored'; assets: Asset[]; changed: string[] }
  | { outcome: 'assets_not_found'; unknown: string[] }
  /** Nothing changed. `needed` is the number of bytes of the assets. */
  | { outcome: 'storage_exceeded'; usage: Usage; needed: number }
  | AssetsExceeded

/** An asset, and the products that were attached to it or detached from it. */
export interface ChangedAttachments {
  assetId: string
  productIds: string[]
}

export type AssetsAttachmentOutcome =
  /** `changed` has only assets and products that were not attached, or not detached, before. */
  | { outcome: 'done'; changed: ChangedAttachments[] }
  | { outcome: 'assets_not_found'; unknown: string[] }
  | { outcome: 'products_not_found'; unknown: ProductSelection }
  /** The number of assets times the number of products exceeds `MAX_BULK_ATTACHMENTS`. */
  | { outcome: 'too_many_attachments'; count: number }

/**
 * The trash of one account, and changes of several assets. The IDs of a call differ from each other.
 *
 * If an upload fits only after superseded objects and assets in the trash are removed, the oldest of these are removed
 * in the transaction that reserves its bytes. If more than `TRASH_BATCH` assets must be removed, the first of them are
 * removed in transactions of their own. If removing all of them would not make room, nothing is removed.
 */
export interface TrashData {
  /**
   * ready → deleted, and in the trash. Removes the assets from all lists, detaches them from their products and
   * makes their bytes available immediately. Their objects and versions stay, and unfinished replacements are
   * cancelled. Assets that are in the trash already stay as they are.
   */
  trashAssets(assetIds: string[]): Promise<AssetsOutcome>

  /** The same as `deleteAsset` for several assets. With `isFromTrash`, ready assets stay as they are. */
  deleteAssets(assetIds: string[], isFromTrash?: boolean): Promise<AssetsOutcome>

  /**
   * deleted → ready, for assets in the trash. Attaches them to those of their products that still exist. Ready
   * assets stay as they are.
   */
  restoreAssets(assetIds: string[]): Promise<AssetsRestoreOutcome>

  /** Attaches these assets to the selected products, or detaches them. Idempotent. */
  attachAssets(assetIds: string[], selection: ProductSelection): Promise<AssetsAttachmentOutcome>
  detachAssets(assetIds: string[], selection: ProductSelection): Promise<AssetsAttachmentOutcome>

  /** The IDs of the assets in the trash that match, at most `limit`, in one state of the database. */
  selectTrash(query: TrashQuery, limit: number): Promise<string[]>

  /** The assets in the trash, the most recently deleted first. */
  listTrash(query: TrashQuery): Promise<{ rows: TrashedAsset[]; total: number }>

  /**
   * Marks all assets that are ready now. `continueTrashAll` moves them to the trash, and leaves assets that become
   * ready or are restored after this call. Costs the same for any number of assets. Repeating it marks all assets that
   * are ready then.
   */
  beginTrashAll(): Promise<void>

  /**
   * Moves the next marked assets to the trash, at most `TRASH_BATCH`. Returns how many ready assets it has compared with
   * the mark: 0 when none remains. If another instance moves the same assets meanwhile, it moves none, and does not
   * return 0.
   */
  continueTrashAll(): Promise<number>

  findTrashAll(): Promise<TrashAll | undefined>

  /**
   * Copies an unfinished deletion of another deployment, before its assets: of those, it covers the ones whose record has
   * `isBeingDeleted`.
   */
  importTrashAll(deletion: TrashAll): Promise<void>

  /**
   * Removes assets that were moved to the trash at or before `until`, the oldest first, at most `TRASH_BATCH`. Queues
   * their objects for removal. Returns their number: 0 when none remains.
   */
  emptyTrash(until: Date): Promise<number>

  /**
   * Removes files from the trash, the oldest first, until `bytes` are freed, at most `TRASH_BATCH` files. Queues
   * their objects for removal. Returns the bytes that it freed: 0 when the trash has no files, or when other calls
   * are changing it.
   */
  removeOldestTrash(bytes: number): Promise<number>
}
