import type {
  AccountAnswer,
  Asset,
  AssetChanges,
  AssetPage,
  DownloadAddress,
  Key,
  KeyRequest,
  LinkRequest,
  ListAssetsQuery,
  ListProductsQuery,
  NewKeyAnswer,
  Product,
  ProductDetails,
  ProductPage,
  ProductReferences,
  ProductWithAssets,
  UsageAnswer,
} from '@stowage/protocol'
import { createCalls } from './calls.ts'
import { type ConnectPlatform, connect } from './connect.ts'
import type { Listing } from './listing.ts'
import type { CallSettings } from './request.ts'
import type { RetryOptions } from './retry-policy.ts'
import type { LegContext } from './upload/attempts.ts'
import { createPace } from './upload/concurrency-limit.ts'
import { openBrowserStore } from './upload/indexed-db-store.ts'
import { type BlobInput, checkInput, openInput, type StreamInput } from './upload/input.ts'
import { createQueue } from './upload/queue.ts'
import { cancelSession, readSession } from './upload/session.ts'
import type { SavedUpload, UploadStore } from './upload/store.ts'
import { startUpload, type Upload, type UploadOptions } from './upload/upload.ts'

/** Which page of a list, and how long. */
export type PageQuery = Pick<ListAssetsQuery, 'limit' | 'page' | 'after'>

export interface ClientOptions {
  /** Where the service is, such as `https://files.example`. In a page of the service itself: left out. */
  baseUrl?: string | undefined
  /** Left out: the service is open. */
  apiKey?: string | undefined
  /** At most so many parts at once. Left out: begins with 4, and takes 1 to 12 as the line asks. */
  parallel?: number | undefined
  retry?: RetryOptions | undefined
  /** How long one try of a call may take; 60 s by default. */
  timeoutMs?: number | undefined
  /** How long a part may stand still before it is tried again; 30 s by default. */
  stallMs?: number | undefined
  /** Where unfinished uploads are remembered. Left out: IndexedDB; in Node a folder of the user's. */
  store?: UploadStore | undefined
  /** Makes the calls to the service. Parts are sent without it. */
  fetch?: typeof globalThis.fetch | undefined
}

export interface DownloadOptions extends CallSettings {
  /** The bytes from `start` up to, not including, `end`. */
  range?: { start: number; end?: number | undefined } | undefined
}

export type Account = AccountAnswer['data']
export type Usage = UsageAnswer['data']
export type NewKey = NewKeyAnswer['data']
/** An upload that was begun here and is not finished. */
export type UnfinishedUpload = Pick<SavedUpload, 'id' | 'name' | 'size' | 'startedAt'>

/** Everything the service does. Names of fields are those of the interface. */
export interface Client<Input = BlobInput | StreamInput> {
  /** Sends a file, in parts and as often as it takes. */
  upload(file: Input, options?: UploadOptions): Upload
  /** What was begun here and neither finished nor cancelled: uploading the same file goes on. */
  unfinished(): Promise<UnfinishedUpload[]>
  /** Gives up an upload by its asset's id, without its file. One that is over is forgotten here. */
  cancelUpload(id: string, settings?: CallSettings): Promise<void>
  /**
   * `for await` walks all of them, also while they are deleted or changed; `.page(n)` gives one page
   * with `meta` and `links`.
   */
  assets(query?: ListAssetsQuery & CallSettings): Listing<Asset, AssetPage>
  asset(id: string, query?: { with_products?: boolean } & CallSettings): Promise<Asset>
  /** Stores a link. Not tried again when the answer is lost, as it would be there twice. */
  store(link: LinkRequest, settings?: CallSettings): Promise<Asset>
  /** Renames it; a link's address and size too. */
  change(id: string, changes: AssetChanges, settings?: CallSettings): Promise<Asset>
  delete(id: string, settings?: CallSettings): Promise<void>
  attach(id: string, products: ProductReferences, settings?: CallSettings): Promise<Asset>
  detach(id: string, products: ProductReferences, settings?: CallSettings): Promise<Asset>
  /** The file, or a range of it, to be read as a stream. */
  download(id: string, options?: DownloadOptions): Promise<Response>
  /** Where a page can show the bytes from: signed, for about an hour. Of a link, its own address. */
  address(id: string, settings?: CallSettings): Promise<DownloadAddress['data']>
  products(query?: ListProductsQuery & CallSettings): Listing<ProductWithAssets, ProductPage>
  product(id: string, query?: { with_assets?: boolean } & CallSettings): Promise<ProductWithAssets>
  /** All products of an asset. */
  productsOf(id: string, query?: PageQuery & CallSettings): Listing<Product, ProductPage>
  /** All ready assets of a product, of which `with_assets` gives the newest hundred. */
  assetsOf(id: string, query?: PageQuery & CallSettings): Listing<Asset, AssetPage>
  /** Creates or changes up to 1,000, all or none. */
  putProducts(products: ProductDetails[], settings?: CallSettings): Promise<Product[]>
  deleteProduct(id: string, settings?: CallSettings): Promise<void>
  account(settings?: CallSettings): Promise<Account>
  /** What takes the space, by type. */
  usage(settings?: CallSettings): Promise<Usage>
  keys(settings?: CallSettings): Promise<Key[]>
  /** The secret is in this answer and nowhere else. */
  createKey(key: KeyRequest, settings?: CallSettings): Promise<NewKey>
  revokeKey(id: string, settings?: CallSettings): Promise<void>
}

const OVER = /not_found|upload_ended|already_uploaded/

export function createClient(options: ClientOptions = {}): Client {
  return createClientOn(options, {
    store: options.store ?? openBrowserStore(),
    check: checkInput,
    open: (file, wishes) => openInput(file as BlobInput | StreamInput, wishes),
  })
}

type Platform = Pick<LegContext, 'check' | 'open' | 'store'> & ConnectPlatform

/** The client on a platform: how it reads files, and where it remembers them. */
export function createClientOn<Input>(
  options: ClientOptions,
  { moreOptions = '', adviceFor, exchange, ...platform }: Platform,
): Client<Input> {
  const { retry = {}, stallMs = 30_000 } = options
  const { baseUrl, request } = connect(options, {
    moreOptions: `parallel stallMs store ${moreOptions}`,
    adviceFor,
    exchange,
  })
  const context: LegContext = {
    ...platform,
    request,
    queue: createQueue(createPace(options.parallel)),
    baseUrl,
    retry,
    stallMs,
    contact: { isMade: false },
    underWay: new Set(),
  }
  const { store } = platform
  const listSaved = () => store.list().catch(() => [])
  return {
    ...createCalls(request),
    async cancelUpload(id, settings = {}) {
      // What is over needs no cancelling, and no remembering.
      await readSession(request, id, settings)
        .then((session) => cancelSession(request, session, settings))
        .catch((error) => {
          if (!OVER.test(error.code)) throw error
        })
      for (const saved of await listSaved()) if (saved.id === id) await store.delete(saved.key)
    },
    upload: (file, wishes = {}) => startUpload(context, file, wishes),
    async unfinished() {
      return (await listSaved()).filter(({ key }) => key.startsWith(`${baseUrl} `))
    },
  }
}
