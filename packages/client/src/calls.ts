import type {
  Archive,
  Asset,
  AssetPage,
  BulkResponse,
  Delivery,
  DeliveryPage,
  DeliveryWithBody,
  EventPage,
  FolderList,
  FolderMove,
  Key,
  ListAssetsQuery,
  ListedUpload,
  NewUploadToken,
  Product,
  ProductGroup,
  ProductGroupPage,
  ProductPage,
  Tag,
  TagPage,
  UploadPage,
  UploadToken,
  UploadTokenPage,
  Version,
  Webhook,
  WebhookWithSecret,
} from '@stowage/protocol'
import type { Account, Client, NewKey, Usage } from './client.ts'
import { isStowageError } from './errors.ts'
import { createListing } from './listing.ts'
import type { CallSettings } from './options.ts'
import { type Call, checkId, type Request, splitSettings } from './request.ts'
import { randomKey } from './upload/session.ts'

/*
 * The names that the query of each list may have, besides those of its pages. A test compares them with the protocol,
 * which is not imported: its schemas are larger than the client.
 */
const PRODUCT_FILTERS = 'search name sku product_id variant_id vendor tag has_assets sort'
const EVENT_FILTERS = 'after order before type limit actor search from to'
const TRASH = { path: '/assets', filters: 'search filename type path below tag trashed' }
const TAGS = { path: '/tags', filters: 'search' }
const ASSETS = {
  path: '/assets',
  filters: `${TRASH.filters} with_products sort attached exact_total sku product_id`,
}
const UPLOADS = { path: '/uploads', filters: 'filename' }
const PRODUCTS = { path: '/products', filters: `${PRODUCT_FILTERS} with_assets` }
const GROUPS = { path: '/product-groups', filters: PRODUCT_FILTERS }
const DELIVERIES = { path: '/webhooks/:id/deliveries', filters: 'status' }

/** The calls that send one request, and the lists, which send one request for each page. */
export function createCalls(
  request: Request,
): Omit<Client, 'upload' | 'replace' | 'unfinished' | 'cancelUpload' | 'events'> {
  const { data } = request

  /** If the first response was lost, the retry of a successful call reports `not_found`. */
  const remove: Remove = async (path, id, settings = {}) => {
    let isRetry = false
    const onRetry = () => {
      isRetry = true
    }
    try {
      await request.json(path, { ...settings, id, method: 'DELETE', onRetry })
    } catch (error) {
      if (!isRetry || !isStowageError(error, 'not_found')) throw error
    }
  }

  const sendWith =
    (method: string) =>
    <Data>(path: string, body: unknown, call: Call = {}) =>
      data<Data>(path, { ...call, method, body })
  const post = sendWith('POST')
  const put = sendWith('PUT')

  return {
    ...createWebhookCalls(request, remove),
    uploads: (query) =>
      // The service asks the storage about each upload of a page.
      createListing<ListedUpload, UploadPage>(request, UPLOADS, { limit: 100, ...query }),
    assets: (query) => createListing(request, ASSETS, query),
    asset: (id, query) => data('/assets/:id', { ...splitSettings('with_products', query), id }),
    store: (link, settings) => post<Asset>('/assets/store', link, { ...settings, ...once() }),
    change: (id, changes, settings) => put<Asset>('/assets/:id', changes, { ...settings, id }),
    delete: (id, { permanent, ...settings } = {}) =>
      remove('/assets/:id', id, { ...settings, query: { permanent: permanent || undefined } }),
    trash: (query) => {
      const trashed: ListAssetsQuery & CallSettings = { ...query, trashed: true }
      return createListing<Asset, AssetPage>(request, TRASH, trashed)
    },
    emptyTrash: async (settings) => {
      await request.json('/trash', { ...settings, method: 'DELETE' })
    },
    deleteAll: async (settings) => {
      await request.json('/assets/deleted-all', { ...settings, method: 'POST' })
    },
    tags: (query) => createListing<Tag, TagPage>(request, TAGS, query),
    bulk: (changes, settings) => post<BulkResponse['data']>('/assets/bulk', changes, settings),
    folders: (query) =>
      request.json<FolderList>('/folders', splitSettings('path limit after', query)),
    moveFolder: (move, settings) =>
      post<FolderMove>('/folders/move', move, { ...settings, isRepeatable: false }),
    folderMoves: (settings) => data<FolderMove[]>('/folders/moves', settings),
    attach: (id, products, settings) => post('/assets/:id/attach', products, { ...settings, id }),
    detach: (id, products, settings) => post('/assets/:id/detach', products, { ...settings, id }),
    versions: (id, settings) => data<Version[]>('/assets/:id/versions', { ...settings, id }),
    restore: async (id, version, settings) =>
      post<Asset>(`${restoredPath(version)}/restore`, undefined, { ...settings, id }),
    deleteVersion: async (id, version, settings) => remove(versionPath(version), id, settings),
    async download(id, { range, version, ...settings } = {}) {
      const headers = range && { Range: rangeHeader(range) }
      const path = version === undefined ? '/assets/:id' : versionPath(version)
      return request.response(`${path}/download`, { ...settings, id, headers })
    },
    zip: (selection, settings) => post<Archive>('/archives', selection, settings),
    address: (id, settings) => data('/assets/:id/address', { ...settings, id }),
    products: (query) => createListing(request, PRODUCTS, query),
    productsOf: (id, query) =>
      createListing<Product, ProductPage>(
        request,
        { path: '/assets/:id/products' },
        { ...query, id },
      ),
    productGroups: (query) => createListing<ProductGroup, ProductGroupPage>(request, GROUPS, query),
    productGroupsOf: (id, query) =>
      createListing<ProductGroup, ProductGroupPage>(
        request,
        { path: '/assets/:id/product-groups' },
        { ...query, id },
      ),
    assetsOf: (id, query) =>
      createListing<Asset, AssetPage>(request, { path: '/products/:id/assets' }, { ...query, id }),
    product: (id, query) => data('/products/:id', { ...splitSettings('with_assets', query), id }),
    putProducts: (products, settings) => put<Product[]>('/products', { products }, settings),
    deleteProduct: (id, settings) => remove('/products/:id', id, settings),
    account: (settings) => data<Account>('/account', settings),
    usage: (settings) => data<Usage>('/account/usage', settings),
    listEvents: (query) => request.json<EventPage>('/events', splitSettings(EVENT_FILTERS, query)),
    keys: (settings) => data<Key[]>('/keys', settings),
    createKey: (key, settings) => post<NewKey>('/keys', key, { ...settings, ...once() }),
    createUploadToken: (limits, settings) =>
      request.json<NewUploadToken>('/upload-tokens', {
        ...settings,
        ...once(),
        method: 'POST',
        body: limits,
      }),
    uploadTokens: (query) =>
      createListing<UploadToken, UploadTokenPage>(request, { path: '/upload-tokens' }, query),
    uploadToken: (id, settings) => data<UploadToken>('/upload-tokens/:id', { ...settings, id }),
    revokeUploadToken: (id, settings) => remove('/upload-tokens/:id', id, settings),
    revokeKey: (id, settings) => remove('/keys/:id', id, settings),
  }
}

/** However often the call is retried, the service creates one thing, and returns it each time. */
function once(): Pick<Call, 'headers'> {
  return { headers: { 'Idempotency-Key': randomKey() } }
}

/** Without a version, the asset itself is restored. */
function restoredPath(version: number | undefined): string {
  return version === undefined ? '/assets/:id' : versionPath(version)
}

/** In a path, anything but a number could lead to another endpoint. */
function versionPath(version: number): string {
  if (Number.isSafeInteger(version)) return `/assets/:id/versions/${version}`
  throw new TypeError(
    `Invalid version “${version}”. Versions are numbers, as the service returns them.`,
  )
}

type Remove = (path: string, id: string, settings?: Call) => Promise<void>

type WebhookCalls = Pick<
  Client,
  | 'webhooks'
  | 'webhook'
  | 'createWebhook'
  | 'changeWebhook'
  | 'rotateWebhookSecret'
  | 'deleteWebhook'
  | 'pingWebhook'
  | 'deliveries'
  | 'delivery'
  | 'redeliver'
>

/** The longest page of deliveries that the service returns. */
const MAX_DELIVERIES_PER_PAGE = 100

function createWebhookCalls({ data, ...request }: Request, remove: Remove): WebhookCalls {
  const deliveryPath = (id: string) => `/webhooks/:id/deliveries/${checkId(id)}`
  return {
    webhooks: (settings) => data<Webhook[]>('/webhooks', settings),
    webhook: (id, settings) => data<Webhook>('/webhooks/:id', { ...settings, id }),
    createWebhook: (body, settings) =>
      data<WebhookWithSecret>('/webhooks', { ...settings, ...once(), method: 'POST', body }),
    changeWebhook: (id, body, settings) =>
      data<Webhook>('/webhooks/:id', { ...settings, id, method: 'PUT', body }),
    rotateWebhookSecret: (id, settings) =>
      data<WebhookWithSecret>('/webhooks/:id/rotate', { ...settings, id, method: 'POST' }),
    deleteWebhook: (id, settings) => remove('/webhooks/:id', id, settings),
    pingWebhook: (id, settings) =>
      data<DeliveryWithBody>('/webhooks/:id/ping', { ...settings, id, method: 'POST' }),
    deliveries: (id, query) =>
      createListing<Delivery, DeliveryPage>({ data, ...request }, DELIVERIES, {
        limit: MAX_DELIVERIES_PER_PAGE,
        ...query,
        id,
      }),
    delivery: async (webhookId, id, settings) =>
      data<DeliveryWithBody>(deliveryPath(id), { ...settings, id: webhookId }),
    redeliver: async (webhookId, id, settings) =>
      data<DeliveryWithBody>(`${deliveryPath(id)}/redeliver`, {
        ...settings,
        id: webhookId,
        method: 'POST',
      }),
  }
}

/** Returns the `Range` header for the bytes from `start` up to, but not including, `end`. */
function rangeHeader({ start, end }: { start: number; end?: number | undefined }): string {
  const last = end === undefined ? '' : end - 1
  const range = `bytes=${start}-${last}`
  if (/^bytes=\d+-\d*$/.test(range) && (last === '' || last >= start)) return range
  // HTTP has no empty range, and servers respond to a malformed one with the whole file.
  throw new TypeError('Invalid range. Use whole numbers, 0 <= start < end.')
}
