import type { Asset, AssetStatus, AssetVersion, Upload } from '../domain/asset.ts'
import type { Key } from '../domain/key.ts'
import type { Cursor, PageRequest, SortKey } from '../domain/paging.ts'
import type { Product, ProductGroup, ProductSelection } from '../domain/product.ts'
import type { Position, ProductSort } from '../domain/product-sort.ts'
import type { NewUploadToken, UploadToken } from '../domain/upload-token.ts'
import type { AssetsExceeded, TypeUsage, Usage } from '../domain/usage.ts'
import type { AccountArchives } from './archive-data.ts'
import type { BulkData } from './bulk-data.ts'
import type { AccountWebhookData, EventData } from './event-data.ts'
import type { FolderData } from './folder-data.ts'
import type { AddedUploadToken, LinkOutcome, OnceData } from './idempotency-data.ts'
import type { KeyData } from './key-data.ts'
import type { MailData } from './mail-data.ts'
import type { OrderData } from './order-data.ts'
import type { ProductData } from './product-data.ts'
import type { ProductFileData } from './product-file-data.ts'
import type { TagData } from './tag-data.ts'
import type { TrashData } from './trash-data.ts'

export interface AssetQuery extends PageRequest {
  sort: AssetSort
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Cursor
  /**
   * Each word is part of the name, of the path, or of the name, variant name, SKU or vendor of an attached
   * product. Folded by `searchWords`.
   */
  words?: string[]
  /** Part of the name, folded by `foldText`. */
  name?: string
  kind?: Asset['kind']
  attached?: boolean
  /** Attached to a product with exactly this SKU. */
  sku?: string
  /** Attached to any variant of this product, by the shop's product ID. */
  productId?: number
  /** Attached to this product, by our ID. */
  ofProduct?: string
  /** In this folder or below it, with a slash at its end, as `folderOfFilter` returns it. */
  folder?: string
  /** Only in the folder itself, not below it; without `folder`, only assets without a path. */
  isDirect?: boolean
  /** Has this tag, folded by `foldTag`. */
  tag?: string
  /** Counts all matches, even if that takes long. */
  exactTotal?: boolean
}

export interface AssetSort {
  by: SortKey
  descending: boolean
}

export interface UploadQuery extends PageRequest {
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Cursor
  /** Part of the name, folded by `foldText`. */
  name?: string
}

export interface ProductQuery extends PageRequest {
  /** `NEWEST_PRODUCTS` by default. */
  sort?: ProductSort
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Position
  /** Each word is part of the name, the variant name, the SKU or the vendor. Folded by `searchWords`. */
  words?: string[]
  /** Part of the name or the variant name, folded by `foldText`. */
  name?: string
  sku?: string
  productId?: number
  variantId?: number
  /** Folded by `foldText`. */
  vendor?: string
  /** Folded by `foldText`. */
  tag?: string
  /** Attached to this asset. */
  ofAsset?: string
  /** Whether a ready asset is attached. */
  hasAssets?: boolean
}

/**
 * Finds products of the shop instead of variants. A product matches if any of its variants matches all filters. It is
 * sorted by its product ID, by default `LAST_PRODUCT_ID`, or by its first variant, even if that does not match.
 */
export type ProductGroupQuery = ProductQuery

/** A product of the shop, and how many of its variants match. */
export interface MatchingProduct {
  productId: number
  matching: number
  /** Its position in the list; omitted if the list is sorted by product ID. */
  position?: Position
}

/** One page of rows, and the number of matches on all pages. */
export interface Rows<Row> {
  rows: Row[]
  total: number
  /** If it is set, not all matches were counted: there are at least so many, and at most `total`. */
  atLeast?: number
}

export interface AssetChange {
  filename?: string
  url?: string
  bytes?: number
  /** Null removes it. */
  path?: string | null
  /** All of its tags, normalized. */
  tags?: string[]
  isInline?: boolean
}

/** The outcome of attaching or detaching. Either everything changed, or nothing. */
export type AttachmentOutcome =
  | { outcome: 'done' }
  | { outcome: 'asset_not_found' }
  | { outcome: 'products_not_found'; unknown: ProductSelection }

/**
 * Of concurrent calls exactly one wins and returns the new status. The others return the status that
 * prevented their change.
 */
export interface Transition<More = never> {
  won: boolean
  /** Undefined when the asset does not exist. */
  status: AssetStatus | More | undefined
}

export interface Deletion extends Transition {
  /** The unfinished replacement that was cancelled, if there was one. */
  replacement?: Upload
}

export interface AccountSummary extends Usage {
  name: string
  planName: string
  planAssets: number | null
  assets: number
  trash: number
}

/** What the first read of an object found. */
export interface FirstRead {
  sha256: string
  crc32: number
  /** When to read it again. */
  nextReadMs: number
}

/**
 * The data of one account. Data of other accounts is invisible: every statement has the account in its
 * condition. Each method is one unit of work: atomic, and durable when its promise resolves. An outage
 * rejects with `EngineUnavailable`.
 */
export interface AccountData
  extends ProductData,
    AccountArchives,
    KeyData,
    VersionData,
    TrashData,
    FolderData,
    BulkData,
    ProductFileData,
    TagData,
    UploadTokenData,
    OnceData,
    OrderData,
    MailData,
    EventData,
    AccountWebhookData {
  readSummary(): Promise<AccountSummary>

  /**
   * The usage by type, most bytes first. Older versions count toward the bytes, not the assets. The bytes add up to
   * `stored`.
   */
  readUsage(): Promise<TypeUsage[]>

  /**
   * Checks the plan and reserves the bytes atomically: concurrent calls can't exceed the plan. Of
   * concurrent calls with the same idempotency key, one reserves and the others return its upload. Of concurrent
   * replacements of one asset, one reserves. The asset must be a ready file, and does not change.
   * If necessary, superseded objects and the oldest trash are removed: see `TrashData`.
   *
   * With an upload token, its expiry and its limits are checked in the same transaction: concurrent calls can't exceed
   * them. Each upload of the token counts with the size that was reserved, even after it was completed and its asset
   * was changed or deleted. Cancelled and expired uploads count only toward `maxStartedUploads`.
   */
  reserveUpload(upload: NewUpload): Promise<Reservation>

  /**
   * Records the storage's own ID of an upload, if the storage assigns one. False when the asset is no
   * longer uploading, or its storage ID is no longer `previous`.
   */
  recordStorageId(assetId: string, names: { previous: string; storageId: string }): Promise<boolean>

  /**
   * Drops a reservation whose upload could not be created in the storage, unless a repeated request has
   * resumed it meanwhile. The upload of a token becomes cancelled instead, so that it still counts as started. Its
   * idempotency key can be used again.
   */
  dropReservation(assetId: string): Promise<void>

  /** Does not find the rows of replacements. */
  findAsset(assetId: string): Promise<Asset | undefined>

  /** The upload of a file by the ID of its asset, or of a replacement by the ID of its own row; in any status. */
  findUpload(id: string): Promise<Upload | undefined>

  /** Lists uploads that are neither ready nor ended, newest first. */
  listUploads(query: UploadQuery): Promise<Rows<Upload>>

  /**
   * Lists ready assets. Assets with equal sort values are ordered by creation. On the first pages of a list with a
   * filter that matches many of many assets, the total may be an upper bound: see `atLeast` and `exactTotal`.
   */
  listAssets(query: AssetQuery): Promise<Rows<Asset>>

  /** The IDs of the ready assets that match, at most `limit`, in one state of the database. */
  selectAssets(query: AssetQuery, limit: number): Promise<string[]>

  /** A link counts as an asset, but uses no storage of the plan. */
  addLink(asset: Asset): Promise<LinkOutcome>

  /**
   * Undefined unless the asset is uploading, completing or ready. Nothing changes if the ready assets of the account
   * would have too many different tags.
   */
  changeAsset(assetId: string, change: AssetChange): Promise<Asset | 'too_many_tags' | undefined>

  /**
   * ready → deleted, permanently. Also removes an asset that is in the trash. Unlists and detaches it and frees its
   * bytes immediately. The objects of all versions of a file are queued for removal, and its unfinished replacement
   * is cancelled.
   */
  deleteAsset(assetId: string): Promise<Deletion>

  /**
   * uploading → completing. While it is completing, it can't be cancelled, and only `abandonCompletion` expires it.
   * Its size is final, even if it is reopened. Like any activity, this extends its expiry time, by the database's
   * clock, unless its token has expired.
   * With `bytes`, it succeeds only if that is the current size; otherwise the status is `resized`.
   */
  beginCompletion(
    assetId: string,
    options: { keptForMs: number; bytes?: number },
  ): Promise<Transition<'resized'>>

  /** completing → uploading, after the storage rejected the parts. */
  reopenUpload(assetId: string): Promise<void>

  /**
   * completing → ready. Its bytes change from reserved to stored, and the asset is listed. Idempotent. Also returns
   * `ready` if the asset was moved to the trash meanwhile: its object must stay. If an upload token with `attach`
   * started it, it is attached to these products atomically; those that no longer exist are skipped.
   *
   * A replacement becomes the current version of its asset, atomically. The version that was current becomes an
   * older one. At most `keepVersions` older versions are kept: the objects of those that were replaced longest
   * ago are queued for removal, after the URLs of running downloads have expired. If the asset was deleted
   * meanwhile, or is in the trash, the replacement is cancelled.
   *
   * With `withhold`, a file with a declared digest is withheld from downloads until `recordVerification` finds this
   * digest. The version that downloads get meanwhile (`findServedVersion`) is kept in addition to the others.
   *
   * With `read`, the bytes have been read already: the result is recorded atomically, as by `recordVerification`.
   */
  finishCompletion(
    assetId: string,
    options: { keepVersions: number; withhold: boolean; read?: FirstRead | undefined },
  ): Promise<AssetStatus | undefined>

  /**
   * completing → expired, if its expiry time passed at least `graceMs` ago by the database's clock.
   * Frees the bytes and queues the upload for removal, as cancelling does. Returns whether it has expired.
   */
  abandonCompletion(assetId: string, graceMs: number): Promise<boolean>

  /** uploading → cancelled. Frees the reserved bytes immediately, and queues the upload for removal. */
  cancelUpload(assetId: string): Promise<Transition>

  /**
   * uploading → uploading. It expires after this time from now, by the database's clock. An upload whose token has
   * expired is not extended. Returns when it expires; undefined when it is no longer uploading.
   */
  renewUpload(assetId: string, keptForMs: number): Promise<Date | undefined>

  /**
   * uploading → uploading, with another size. Checks the plan and changes the reservation atomically:
   * concurrent calls can't exceed the plan. A smaller size always fits. Makes room like `reserveUpload`.
   */
  resizeUpload(assetId: string, bytes: number, options?: ResizeOptions): Promise<Resizing>

  findProduct(id: string): Promise<Product | undefined>
  listProducts(query: ProductQuery): Promise<Rows<Product>>
  listProductIds(query: ProductGroupQuery): Promise<Rows<MatchingProduct>>
  /**
   * These products of the shop, in this order, with the first `variants` variants of each, by variant ID. With `ofAsset` only
   * variants that the asset is attached to, and no `assetsTotal`. Products that do not exist are left out.
   * `assetsTotal` is null if the variants of a product have more than `attachments` attachments.
   */
  readProductGroups(
    productIds: number[],
    options: { variants: number; attachments: number; ofAsset?: string | undefined },
  ): Promise<ProductGroup[]>
  /** Detaches its assets by `continueProductDeletion`. False when the product does not exist. */
  deleteProduct(id: string): Promise<boolean>

  /** Idempotent. A product ID selects all of its variants. */
  attachProducts(assetId: string, selection: ProductSelection): Promise<AttachmentOutcome>
  detachProducts(assetId: string, selection: ProductSelection): Promise<AttachmentOutcome>

  /** The products of each of these assets, oldest first. Undefined when there are more than `limit` in total. */
  productsOfAssets(assetIds: string[], limit: number): Promise<Map<string, Product[]> | undefined>
  /**
   * The next products of an asset, oldest first. `next` is the cursor of the next call, and stays valid when
   * products are deleted. Undefined at the end.
   */
  productsOfAsset(
    assetId: string,
    slice: { after: string | undefined; limit: number },
  ): Promise<{ products: Product[]; next: string | undefined }>
  /** The ready assets of each of these products, newest first. Undefined when there are more than `limit` in total. */
  assetsOfProducts(productIds: string[], limit: number): Promise<Map<string, Asset[]> | undefined>
  /** The newest ready assets of a product, and their total number. */
  newestAssetsOf(productId: string, limit: number): Promise<{ assets: Asset[]; total: number }>

  /**
   * Imports keys and assets of another deployment with their IDs and times, regardless of the plan.
   * Existing ones are not changed, except that a key is revoked if it was revoked there, and that the files get a
   * missing SHA-256 and the given `isDamaged`. The products of the assets must exist. Records no events.
   */
  importRecords(records: { keys: Key[]; assets: AssetRecord[] }): Promise<void>
}

export interface NewUpload {
  upload: Omit<Upload, 'expiresAt'>
  /** The upload expires after this time without activity. */
  keptForMs: number
  /** A request with the same key and the same digest of its body is a repetition. */
  idempotency?: { key: string; digest: string }
  /** The size is only an estimate: the reservation uses free room, and removes no trash and no superseded objects. */
  isProvisional?: boolean
}

/** A provisional size does not fit into the free room. `free` is the room without removing anything; it may be negative. */
export interface NoFreeRoom {
  outcome: 'no_free_room'
  free: number
}

export interface TokenExceeded {
  outcome: 'token_exceeded'
  remaining: { bytes: number; files: number }
}

export interface ResizeOptions {
  /** As in `NewUpload`. */
  isProvisional?: boolean
  /** The size changes only if the upload still has this one. Otherwise the outcome is `changed`. */
  expectedBytes?: number
  /** The upload token that resizes its own upload: the new size counts toward its limits, even if it has expired. */
  tokenId?: string
}

export type Reservation =
  | { outcome: 'reserved'; expiresAt: Date }
  | { outcome: 'storage_exceeded'; usage: Usage }
  | AssetsExceeded
  /** The same request was already made; this is its upload. */
  | { outcome: 'repeated'; upload: Upload }
  /** The key was used for a different request. */
  | { outcome: 'key_reused' }
  /** The asset to replace is not a ready file; undefined when it does not exist. */
  | { outcome: 'not_replaceable'; asset: Pick<Asset, 'kind' | 'status'> | undefined }
  /** Another replacement of the asset is unfinished. */
  | { outcome: 'replacement_in_progress'; uploadId: string }
  | NoFreeRoom
  /** The upload exceeds the limits of its token. */
  | TokenExceeded
  | { outcome: 'token_expired'; expiresAt: Date }
  /** The ready assets of the account have too many different tags. Those of unfinished uploads do not count. */
  | { outcome: 'too_many_tags' }

export type Resizing =
  | { outcome: 'resized' }
  /** Nothing changed: the upload no longer has `expectedBytes`. */
  | { outcome: 'changed' }
  /** Nothing changed. `growth` is the number of additional bytes requested. */
  | { outcome: 'storage_exceeded'; usage: Usage; growth: number }
  /** Nothing changed. `free` includes the bytes that the upload has reserved. */
  | NoFreeRoom
  /** Nothing changed. `remaining.bytes` includes the bytes of the upload. */
  | TokenExceeded
  /** The asset is not uploading. The status is undefined when the asset does not exist. */
  | { outcome: 'refused'; status: AssetStatus | undefined }
  /** A completion was already started, and may still be running. */
  | { outcome: 'final' }

export type RestoreOutcome =
  | { outcome: 'restored'; asset: Asset }
  /** It was the current version already. */
  | { outcome: 'current'; asset: Asset }
  | { outcome: 'asset_not_found' }
  | { outcome: 'version_not_found' }

export type VersionDeletion = 'deleted' | 'current' | 'asset_not_found' | 'version_not_found'

/** The replacements and versions of the files of one account. */
interface VersionData {
  /** The replacement of this asset with this upload ID, in any status. */
  findReplacement(assetId: string, uploadId: string): Promise<Upload | undefined>

  /** All versions of a ready file, the highest number first. Undefined for anything else. */
  listVersions(assetId: string): Promise<AssetVersion[] | undefined>

  /**
   * The version of a ready file that downloads get: the current one, or while that is withheld, the one that was
   * replaced last and is not withheld. Undefined if there is none.
   */
  findServedVersion(assetId: string): Promise<AssetVersion | undefined>

  /**
   * Makes an older version the current one, atomically: its content, its name and its number. The version that
   * was current becomes an older one. Idempotent.
   */
  restoreVersion(assetId: string, version: number): Promise<RestoreOutcome>

  /** Removes an older version and frees its bytes immediately. Its object is queued for removal. */
  deleteVersion(assetId: string, version: number): Promise<VersionDeletion>
}

/** The upload tokens of one account. `AccountData.reserveUpload` applies their limits. */
interface UploadTokenData {
  /**
   * The token expires `lifetimeMs` from now, by the database's clock. Its products must exist. Concurrent calls cannot
   * exceed `maxTokens`.
   */
  addUploadToken(
    token: NewUploadToken,
    limits: { lifetimeMs: number; maxTokens: number },
  ): Promise<AddedUploadToken>
  /** The tokens that can start uploads, newest first. */
  listUploadTokens(query: UploadTokenQuery): Promise<Rows<UploadToken>>
  /** Also finds a token that has expired or was revoked, until it is forgotten. */
  findOwnUploadToken(id: string): Promise<UploadToken | undefined>
  /**
   * Reservations that are made after this call refuse the token, on every instance. Idempotent. False if there is no
   * such token.
   */
  revokeUploadToken(id: string): Promise<boolean>
}

export interface UploadTokenQuery extends PageRequest {
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Cursor
}

/** An asset, ready or in the trash, with all data that a copy in another deployment needs. */
export interface AssetRecord {
  asset: Asset
  /** The upload of a file; undefined for a link. */
  upload: { id: string; chunkSize: number; expiresAt: Date } | undefined
  /** The idempotency key of its request, if it had one. */
  idempotency: { key: string; digest: string } | undefined
  /** The time of the last status change. */
  changedAt: Date
  /** When it was moved to the trash; undefined if it is ready. */
  trashedAt?: Date | undefined
  /** Whether an unfinished deletion of all assets (`findTrashAll`) will move it to the trash. */
  isBeingDeleted?: true | undefined
  /** Whether an unfinished move of its folder (`listFolderMoveRecords`) will change its path. */
  isBeingMoved?: true | undefined
  /** Our IDs of its products, sorted. An asset in the trash is attached to them when it is restored. */
  productIds: string[]
  /** The key of the current object; undefined for a link. */
  key: string | undefined
  /** When the current version was requested. */
  versionCreatedAt: Date
  /** The highest number that a version of it ever had. */
  lastVersion: number
  /** Older versions, those that were replaced longest ago first. */
  versions: OldVersion[]
}

/** A version that is not the current one. */
export type OldVersion = Omit<AssetVersion, 'isCurrent' | 'replacedIn'>

/** All versions of a file, the current one first; none for a link. */
export function filesOf(record: AssetRecord): OldVersion[] {
  const { asset, upload, key, versions, versionCreatedAt: createdAt } = record
  if (upload === undefined || key === undefined) return []
  const { version, bytes, mime, filename, integrity } = asset
  const { chunkSize } = upload
  return [{ version, key, bytes, mime, filename, integrity, chunkSize, createdAt }, ...versions]
}
