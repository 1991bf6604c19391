import type {
  Archive,
  ArchiveRequest,
  Asset,
  AssetChanges,
  AssetPage,
  DownloadUrl,
  EventPage,
  FolderList,
  FolderMove,
  LinkRequest,
  ListAssetsQuery,
  ListEventsQuery,
  ListedUpload,
  ListFilesQuery,
  ListFoldersQuery,
  ListProductGroupsQuery,
  ListProductsQuery,
  ListTagsQuery,
  ListUploadsQuery,
  MoveFolderRequest,
  Product,
  ProductDetails,
  ProductGroup,
  ProductGroupPage,
  ProductPage,
  ProductReferences,
  ProductWithAssets,
  Tag,
  TagPage,
  UploadPage,
  Version,
} from '@stowage/protocol'
import type { AccountCalls } from './account-calls.ts'
import type { BulkCalls } from './bulk-calls.ts'
import type { EventsOptions, StowageEvent } from './events.ts'
import type { Listing, PageWith } from './listing.ts'
import type { MailCalls } from './mails.ts'
import type { CallSettings, DownloadOptions, PageQuery } from './options.ts'
import type { OrderCalls } from './orders.ts'
import type { BlobInput, StreamInput } from './upload/input.ts'
import type { SavedUpload } from './upload/store.ts'
import type { ReplaceOptions, Upload, UploadOptions } from './upload/types.ts'

/** The filters of the trash. Products are not among them, because assets in the trash are detached. */
export type ListTrashQuery = Pick<
  ListAssetsQuery,
  'search' | 'filename' | 'type' | 'path' | 'below' | 'limit' | 'page' | 'after'
>
/** An unfinished upload that was started in this browser or with this state folder. */
export type UnfinishedUpload = Pick<
  SavedUpload,
  'key' | 'name' | 'size' | 'startedAt' | 'replaces' | 'uploadId'
> & {
  /** The ID of the asset. */
  id: string
}

/** An asset. If its products were requested with `with_products: true`, they are present. */
export type AssetWith<Products extends boolean> = Products extends true
  ? Asset & Required<Pick<Asset, 'products'>>
  : Asset
/** A product. If its assets were requested with `with_assets: true`, they are present. */
export type ProductWith<Assets extends boolean> = Assets extends true
  ? Required<ProductWithAssets>
  : ProductWithAssets
/** A client of the service. Fields have the same names as in the HTTP API. */
export interface Client<Input = BlobInput | StreamInput>
  extends OrderCalls,
    MailCalls,
    AccountCalls,
    BulkCalls {
  /** Uploads a file in parts. Resumes an unfinished upload of the same file. */
  upload(file: Input, options?: UploadOptions): Upload
  /**
   * Returns the unfinished uploads to this service that were started in this browser or with this state
   * folder, with this API key. Uploading the same file again resumes its upload.
   */
  unfinished(): Promise<UnfinishedUpload[]>
  /**
   * Lists the unfinished uploads of the account, newest first, wherever they were started. Iterate over
   * them in the same way as over `assets`. `upload(file, { resume: id })` continues one of them.
   */
  uploads(query?: ListUploadsQuery & CallSettings): Listing<ListedUpload, UploadPage>
  /**
   * Cancels an upload by the ID of its asset; its file is not needed. If the upload has already ended,
   * only its saved state is removed. With `upload_id`, it cancels that replacement of the asset.
   */
  cancelUpload(id: string, settings?: { upload_id?: string } & CallSettings): Promise<void>
  /**
   * Lists the ready assets. `for await` returns all of them, even if assets are deleted or changed
   * meanwhile; `.page(n)` returns one page with `meta` and `links`.
   */
  assets<Products extends boolean = false>(
    query?: ListAssetsQuery & { with_products?: Products } & CallSettings,
  ): Listing<AssetWith<Products>, PageWith<AssetPage, AssetWith<Products>>>
  /** Returns an asset. It may still be uploading: see its `status`. */
  asset<Products extends boolean = false>(
    id: string,
    query?: { with_products?: Products } & CallSettings,
  ): Promise<AssetWith<Products>>
  /**
   * Creates a link asset, which is an external URL. Retries of the call create no second asset.
   */
  store(link: LinkRequest, settings?: CallSettings): Promise<Asset>
  /** Renames an asset, or changes its path or all of its tags. The URL and the size can be changed for link assets only. */
  change(id: string, changes: AssetChanges, settings?: CallSettings): Promise<Asset>
  /**
   * Uploads a new version of a file. The asset keeps its ID and its products, and all links to it stay valid.
   * Until the upload is complete and compared with its `sha256`, downloads return the previous version. Rejects with
   * `replacement_in_progress` if another replacement of the asset is unfinished: its upload ID is in the
   * `facts` of the error, and `replace(id, file, { resume: uploadId })` continues it with the same file.
   */
  replace(id: string, file: Input, options?: ReplaceOptions): Upload
  /** Returns the versions of a file that are kept, the highest number first. */
  versions(id: string, settings?: CallSettings): Promise<Version[]>
  /**
   * Makes an older version current again; the version that was current is kept as an older one. Without a
   * version, it restores an asset from the trash, with its versions and its products.
   */
  restore(id: string, version?: number, settings?: CallSettings): Promise<Asset>
  /** Deletes an older version. */
  deleteVersion(id: string, version: number, settings?: CallSettings): Promise<void>
  /**
   * Moves an asset to the trash, from which `restore(id)` restores it. With `permanent`, it is removed
   * immediately, even if it is in the trash. If `trash_for` of the account is 0, every deletion is permanent.
   */
  delete(id: string, settings?: { permanent?: boolean } & CallSettings): Promise<void>
  /**
   * Lists the assets in the trash, the most recently deleted first, in the same way as `assets`. Each has
   * `deleted_at` and `removed_after`.
   */
  trash(query?: ListTrashQuery & CallSettings): Listing<Asset, AssetPage>
  /** Removes all assets in the trash. If it fails, some may remain: repeat it. */
  emptyTrash(settings?: CallSettings): Promise<void>
  /** Moves all assets of the account to the trash. Unfinished uploads continue. */
  deleteAll(settings?: CallSettings): Promise<void>
  /**
   * Returns the direct subfolders of the folder `path`, or those at the top, sorted by name. `meta.next_after` is set if
   * there are more: pass it as `after`.
   */
  folders(query?: ListFoldersQuery & CallSettings): Promise<FolderList>
  /**
   * Renames or moves a folder with everything below it. If its `status` is `moving`, it continues in the background: see
   * `folderMoves`. The call is retried only if the service reports that it did nothing (429, 503): the folder may no
   * longer exist at any other retry.
   */
  moveFolder(request: MoveFolderRequest, settings?: CallSettings): Promise<FolderMove>
  /** Returns the unfinished moves of folders, and the last finished ones, newest first. */
  folderMoves(settings?: CallSettings): Promise<FolderMove[]>
  /** Lists the tags of the ready assets by name, in the same way as `assets`. */
  tags(query?: ListTagsQuery & CallSettings): Listing<Tag, TagPage>
  /** Attaches an asset to products. Returns the asset with all of its products. */
  attach(id: string, products: ProductReferences, settings?: CallSettings): Promise<AssetWith<true>>
  /** Detaches an asset from products. Returns the asset with its remaining products. */
  detach(id: string, products: ProductReferences, settings?: CallSettings): Promise<AssetWith<true>>
  /** Downloads a file, or a range of it. Read the body of the response as a stream. */
  download(id: string, options?: DownloadOptions): Promise<Response>
  /**
   * Returns the URL of a ZIP archive with these assets (`ids`, at most 1,000), or with all that match a `filter`, and its
   * exact size. Open the URL to download the archive: it needs no key, and supports ranges. `downloadZip` saves it in Node.
   */
  zip(selection: ArchiveRequest, settings?: CallSettings): Promise<Archive>
  /**
   * Returns a signed URL from which a page can load the file, valid for about an hour. For a link, it is
   * the link's own URL.
   */
  address(id: string, settings?: CallSettings): Promise<DownloadUrl['data']>
  /** Lists the products, in the same way as `assets`. */
  products<Assets extends boolean = false>(
    query?: ListProductsQuery & { with_assets?: Assets } & CallSettings,
  ): Listing<ProductWith<Assets>, PageWith<ProductPage, ProductWith<Assets>>>
  /** Returns a product by its ID in Stowage. */
  product<Assets extends boolean = false>(
    id: string,
    query?: { with_assets?: Assets } & CallSettings,
  ): Promise<ProductWith<Assets>>
  /** Lists all products of an asset. */
  productsOf(id: string, query?: PageQuery & CallSettings): Listing<Product, ProductPage>
  /**
   * Lists the products with their variants: one item per product instead of one per variant. A product is
   * listed with all of its variants if one of them matches all filters.
   */
  productGroups(
    query?: ListProductGroupsQuery & CallSettings,
  ): Listing<ProductGroup, ProductGroupPage>
  /**
   * Lists the products of an asset with the variants that it is attached to. It is attached to all of them
   * if `attached_total` equals `variants_total`.
   */
  productGroupsOf(
    id: string,
    query?: PageQuery & CallSettings,
  ): Listing<ProductGroup, ProductGroupPage>
  /**
   * Lists all ready assets of a product, in the order that `arrangeFiles` has set, and then the others, the oldest first.
   * `with_assets` includes only the newest 100.
   */
  assetsOf(id: string, query?: ListFilesQuery & CallSettings): Listing<Asset, AssetPage>
  /**
   * Sets the order in which buyers see the files of a product and of its other variants. Assets that are attached later follow.
   * Without assets, the files have the order of their uploads.
   */
  arrangeFiles(productId: string, assetIds: string[], settings?: CallSettings): Promise<void>
  /**
   * Creates or changes up to 1,000 products: either all of them or none. A missing field keeps its
   * stored value, and an empty one clears it.
   */
  putProducts(products: ProductDetails[], settings?: CallSettings): Promise<Product[]>
  /** Deletes a product and detaches its assets, which are kept. */
  deleteProduct(id: string, settings?: CallSettings): Promise<void>
  /**
   * Returns one page of events: who did what, and when. With `order: 'desc'`, the newest first. To read all
   * events, and new ones as they happen, use `events`. `actor`, `search`, `from` and `to` find events. A call examines a
   * limited number of them: while `meta.has_more` is true, read the next page, even if this one is empty.
   */
  listEvents(query?: ListEventsQuery & CallSettings): Promise<EventPage>
  /**
   * Yields events as they happen, in order, each exactly once. After a failure of the connection it continues after the
   * last event. To continue later, pass the ID of the last event that was processed as `after`. It ends when the
   * loop is left. It throws if the signal is aborted, if an error occurs that a retry cannot fix, or if no connection
   * succeeds within the limits of `retry`.
   */
  events(options?: EventsOptions): AsyncGenerator<StowageEvent>
}
