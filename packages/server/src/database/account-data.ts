import type { Asset, AssetStatus, Upload } from '../domain/asset.ts'
import type { Cursor, SortKey } from '../domain/cursor.ts'
import type { Key, NewKey } from '../domain/key.ts'
import type { PageRequest } from '../domain/paging.ts'
import type { Usage } from '../domain/plan.ts'
import type { NewProduct, Product, ProductSelection } from '../domain/product.ts'
import type { TypeUsage } from '../domain/usage.ts'

export interface NewUpload {
  upload: Omit<Upload, 'expiresAt'>
  /** After this time without activity it expires. */
  keptForMs: number
  /** A repeated request: the same key with the same digest of what was asked for. */
  idempotency?: { key: string; digest: string }
}

export type Reservation =
  | { outcome: 'reserved' }
  | { outcome: 'storage_exceeded'; usage: Usage }
  /** The key was used for the same request; here is what became of it. */
  | { outcome: 'repeated'; upload: Upload }
  | { outcome: 'key_reused' }

export type Resizing =
  | { outcome: 'resized' }
  /** Nothing changed. `growth` is how many bytes more were asked for. */
  | { outcome: 'storage_exceeded'; usage: Usage; growth: number }
  /** It is not uploading (any more); undefined when there is no such asset. */
  | { outcome: 'refused'; status: AssetStatus | undefined }
  /** Its completion has begun once, and whoever began it may still be at work. */
  | { outcome: 'final' }

export interface AssetQuery extends PageRequest {
  sort: AssetSort
  /** Then the rows are the next `perPage` behind this position, whatever `page` says. */
  after?: Cursor
  /** Any part of the name, folded by `foldText`. */
  name?: string
  kind?: Asset['kind']
  linked?: boolean
  /** Linked to a product with exactly this SKU. */
  sku?: string
  /** Linked to any variant of this product of the shop. */
  productId?: number
  /** Linked to the product with this ID of ours. */
  ofProduct?: string
}

export interface AssetSort {
  by: SortKey
  descending: boolean
}

export interface ProductQuery extends PageRequest {
  /** Then the rows are the next `perPage` behind this one, whatever `page` says. */
  after?: Cursor
  /** Any part of the name, folded by `foldText`. */
  name?: string
  sku?: string
  productId?: number
  variantId?: number
  /** Folded by `foldText`, like the tag. */
  vendor?: string
  tag?: string
  /** Linked to this asset. */
  ofAsset?: string
}

/** A ready asset with all that a copy of it elsewhere needs. */
export interface AssetRecord {
  asset: Asset
  /** How a file came. */
  upload: { id: string; chunkSize: number; expiresAt: Date } | undefined
  /** The request that it came by, if that may be repeated. */
  idempotency: { key: string; digest: string } | undefined
  /** When it became what it is. */
  changedAt: Date
  /** Our own ids of its products, sorted. */
  productIds: string[]
}

/** One page of rows, and how many match in all, on whatever page. */
export interface Rows<Row> {
  rows: Row[]
  total: number
}

export interface AssetChange {
  filename?: string
  url?: string
  bytes?: number
}

/** What became of attaching or detaching: all of it, or nothing and why. */
export type LinkOutcome =
  | { outcome: 'done' }
  | { outcome: 'asset_not_found' }
  | { outcome: 'products_not_found'; unknown: ProductSelection }

/**
 * Of racing calls exactly one wins; all get the status that it left. Who did not win gets one that
 * the change could not be made from.
 */
export interface Transition<More = never> {
  won: boolean
  /** Undefined when there is no such asset. */
  status: AssetStatus | More | undefined
}

export interface AccountSummary extends Usage {
  name: string
  planName: string
  assets: number
}

/**
 * Everything of one account. What is another's does not exist here: every statement behind it has
 * the account in its condition. Each method is one unit of work, atomic, and durable when its
 * promise resolves. An outage throws `EngineUnavailable`.
 */
export interface AccountData {
  readSummary(): Promise<AccountSummary>

  /**
   * What ready assets add up to, by type, most bytes first; at most one row a type, however many assets
   * and media types there are. Together they are what the summary says is stored.
   */
  readUsage(): Promise<TypeUsage[]>

  /**
   * Checks the plan and reserves the bytes in one statement: however calls interleave, the plan is
   * never oversold. Of racing calls with one idempotency key, one reserves and the others repeat.
   */
  reserveUpload(upload: NewUpload): Promise<Reservation>

  /**
   * Remembers the storage's own name for an upload, for storages that choose it themselves. False
   * when it is no longer uploading, or has another name than `previous` by now.
   */
  recordStorageId(assetId: string, names: { previous: string; storageId: string }): Promise<boolean>

  /**
   * Gives back a reservation whose upload could not be created in the storage. It stays when a
   * repeated request has resumed it meanwhile.
   */
  dropReservation(assetId: string): Promise<void>

  findAsset(assetId: string): Promise<Asset | undefined>

  /** The upload of a file in any state, also after it ended. */
  findUpload(assetId: string): Promise<Upload | undefined>

  /** Ready assets. Equal ones of a sort are in the order of their creation. */
  listAssets(query: AssetQuery): Promise<Rows<Asset>>

  /** A link counts as an asset, but takes nothing of the plan. */
  addLink(asset: Asset): Promise<void>

  /** Undefined when the asset is not visible (any more). */
  changeAsset(assetId: string, change: AssetChange): Promise<Asset | undefined>

  /**
   * ready → deleted: out of listings and links, its bytes free at once. A file's object is noted
   * for removal.
   */
  deleteAsset(assetId: string): Promise<Transition>

  /**
   * uploading → completing. From then on it can't be cancelled and does not expire, and its size is
   * final, also when it is an upload again. Like any activity it keeps the upload for longer, by the
   * database's clock. With `bytes`, only if that is its size: `resized` when it has another by now.
   */
  beginCompletion(
    assetId: string,
    options: { keptForMs: number; bytes?: number },
  ): Promise<Transition<'resized'>>

  /** completing → uploading: the storage refused the parts, and nothing has changed. */
  reopenUpload(assetId: string): Promise<void>

  /** completing → ready: reserved bytes become stored ones, and the asset is listed. Repeatable. */
  finishCompletion(assetId: string): Promise<AssetStatus | undefined>

  /**
   * completing → expired, if its time was up `graceMs` ago by the database's clock: nothing could
   * complete it. Like a cancelled one otherwise.
   */
  abandonCompletion(assetId: string, graceMs: number): Promise<void>

  /**
   * uploading → cancelled: the reserved bytes are free at once, and the upload is noted for removal.
   */
  cancelUpload(assetId: string): Promise<Transition>

  /**
   * uploading → uploading: it expires this long after now, by the database's clock. False when it is
   * no longer uploading.
   */
  renewUpload(assetId: string, keptForMs: number): Promise<boolean>

  /**
   * uploading → uploading with another size. The plan is checked and the reservation changed in the
   * same statement: however calls interleave, the plan is never oversold. A smaller size always fits.
   */
  resizeUpload(assetId: string, bytes: number): Promise<Resizing>

  /** Inserts or changes by (product_id, variant_id), all or nothing. Answers in the given order. */
  putProducts(products: NewProduct[]): Promise<Product[]>
  findProduct(id: string): Promise<Product | undefined>
  listProducts(query: ProductQuery): Promise<Rows<Product>>
  /** False when there is none (any more). Its links go with it. */
  deleteProduct(id: string): Promise<boolean>

  /** Repeatable. A product id stands for all of its variants. */
  attachProducts(assetId: string, selection: ProductSelection): Promise<LinkOutcome>
  detachProducts(assetId: string, selection: ProductSelection): Promise<LinkOutcome>

  /** The products of each of these assets, oldest first; undefined when they are more than `most` together. */
  productsOfAssets(assetIds: string[], most: number): Promise<Map<string, Product[]> | undefined>
  /**
   * The next products of an asset, oldest first. `next` continues behind them, also when the last of them is
   * deleted meanwhile; undefined at the end.
   */
  productsOfAsset(
    assetId: string,
    slice: { after: string | undefined; limit: number },
  ): Promise<{ products: Product[]; next: string | undefined }>
  /** The ready assets of each of these products, newest first; undefined when more than `most` together. */
  assetsOfProducts(productIds: string[], most: number): Promise<Map<string, Asset[]> | undefined>
  /** The newest ready assets of a product, and how many it has. */
  newestAssetsOf(productId: string, most: number): Promise<{ assets: Asset[]; total: number }>

  addKey(key: NewKey): Promise<Key>
  listKeys(): Promise<Key[]>
  /** With `keepLast`, the last manage key that works stays. Revoking again is `revoked` too. */
  revokeKey(
    keyId: string,
    options: { now: Date; keepLast: boolean },
  ): Promise<'revoked' | 'last_manage_key' | 'not_found'>

  /**
   * Puts in what another service had, ids and times included. What is there already stays as it is,
   * but for a key that has been revoked there since. The products that assets name must be there. The plan is not asked.
   */
  importRecords(things: { keys: Key[]; assets: AssetRecord[] }): Promise<void>
}
