import type {
  Asset,
  AssetDownload,
  AssetDownloadPage,
  AssetPage,
  Delivery,
  DeliveryPage,
  ListAssetsQuery,
  ListedUpload,
  LoggedDownload,
  LoggedDownloadPage,
  Mail,
  MailPage,
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
} from '@stowage/protocol'
import type { Remove } from './account-calls.ts'
import type { Client } from './client.ts'
import { isStowageError } from './errors.ts'
import { createListing, type Page } from './listing.ts'
import type { CallsOnDemand } from './on-demand.ts'
import type { CallSettings, PageQuery } from './options.ts'
import { type Call, type Request, splitSettings } from './request.ts'
import { randomKey } from './upload/session.ts'

/*
 * The names that the query of each list may have, besides those of its pages. A test compares them with the protocol,
 * which is not imported: its schemas are larger than the client.
 */
const PRODUCT_FILTERS = 'search name sku product_id variant_id vendor tag has_assets sort'
const TRASH = { path: '/assets', filters: 'search filename type path below tag trashed' }
const TAGS = { path: '/tags', filters: 'search' }
const ASSETS = {
  path: '/assets',
  filters: `${TRASH.filters} with_products sort attached exact_total sku product_id`,
}
const UPLOADS = { path: '/uploads', filters: 'filename' }
const PRODUCTS = { path: '/products', filters: `${PRODUCT_FILTERS} with_assets` }
const GROUPS = { path: '/product-groups', filters: PRODUCT_FILTERS }
const ORDERS = {
  path: '/orders',
  filters: 'order_number with_assets search status source asset product_id sort exact_total',
}
const MAILS = { path: '/mails', filters: 'state kind order notice' }
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

  const post = <Data>(path: string, body: unknown, call: Call = {}) =>
    data<Data>(path, { ...call, method: 'POST', body })
  /** A list of what belongs to something with an ID. */
  const listOf =
    <Item, OnePage extends Page<Item>>(path: string, filters?: string) =>
    (id: string, query?: PageQuery & CallSettings) =>
      createListing<Item, OnePage>(request, { path, filters }, { ...query, id })

  return {
    uploads: (query) =>
      // The service asks the storage about each upload of a page.
      createListing<ListedUpload, UploadPage>(request, UPLOADS, { limit: 100, ...query }),
    assets: (query) => createListing(request, ASSETS, query),
    asset: (id, query) => data('/assets/:id', { ...splitSettings('with_products', query), id }),
    store: (link, settings) => post<Asset>('/assets/store', link, { ...settings, ...once() }),
    change: (id, body, settings) =>
      data<Asset>('/assets/:id', { ...settings, id, method: 'PUT', body }),
    delete: (id, { permanent, ...settings } = {}) =>
      remove('/assets/:id', id, { ...settings, query: { permanent: permanent || undefined } }),
    trash: (query) => {
      const trashed: ListAssetsQuery & CallSettings = { ...query, trashed: true }
      return createListing<Asset, AssetPage>(request, TRASH, trashed)
    },
    tags: (query) => createListing<Tag, TagPage>(request, TAGS, query),
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
    address: (id, settings) => data('/assets/:id/address', { ...settings, id }),
    products: (query) => createListing(request, PRODUCTS, query),
    productsOf: listOf<Product, ProductPage>('/assets/:id/products'),
    productGroups: (query) => createListing<ProductGroup, ProductGroupPage>(request, GROUPS, query),
    productGroupsOf: listOf<ProductGroup, ProductGroupPage>('/assets/:id/product-groups'),
    assetsOf: listOf<Asset, AssetPage>('/products/:id/assets', 'all_variants with_products'),
    product: (id, query) => data('/products/:id', { ...splitSettings('with_assets', query), id }),
    deleteProduct: (id, settings) => remove('/products/:id', id, settings),
    orders: (query) => createListing(request, ORDERS, query),
    orderDownloads: listOf<LoggedDownload, LoggedDownloadPage>('/orders/:order/downloads'),
    assetDownloads: listOf<AssetDownload, AssetDownloadPage>('/assets/:id/downloads'),
    mails: (query) =>
      createListing<Mail, MailPage>(request, MAILS, { limit: MAX_MAILS_PER_PAGE, ...query }),
    deliveries: (id, query) =>
      createListing<Delivery, DeliveryPage>(request, DELIVERIES, {
        limit: MAX_DELIVERIES_PER_PAGE,
        ...query,
        id,
      }),
    ...callsOnDemand(request, remove),
    uploadTokens: (query) =>
      createListing<UploadToken, UploadTokenPage>(request, { path: '/upload-tokens' }, query),
  }
}

/** The longest page of mails that the service returns. */
const MAX_MAILS_PER_PAGE = 100
/** The longest page of deliveries that the service returns. */
const MAX_DELIVERIES_PER_PAGE = 100

const ON_DEMAND =
  'emptyTrash deleteAll moveFolder folderMoves folders listEvents putProducts zip bulk arrangeFiles undoBulk bulkJob bulkJobs cancelBulk createOrder order orderFiles changeOrder revokeOrder attachToOrder detachFromOrder startDownload downloadTotals ' +
  'mail sendOrder sendMailAgain testMail mailTexts changeMailTexts previewMail notifyBuyers notices changeNotice ' +
  'branding changeBranding account usage serviceStatus keys createKey revokeKey createUploadToken uploadToken revokeUploadToken ' +
  'webhooks webhook createWebhook changeWebhook rotateWebhookSecret deleteWebhook pingWebhook delivery redeliver'

/** Pages that upload do not need these calls: the first one loads their code. */
function callsOnDemand(request: Request, remove: Remove): CallsOnDemand {
  const calls = ON_DEMAND.split(' ').map((name) => [
    name,
    async (...given: never[]) => {
      const { createCallsOnDemand } = await import('./on-demand.ts')
      return Reflect.get(createCallsOnDemand(request, remove), name)?.(...given)
    },
  ])
  return Object.fromEntries(calls)
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

/** Returns the `Range` header for the bytes from `start` up to, but not including, `end`. */
function rangeHeader({ start, end }: { start: number; end?: number | undefined }): string {
  const last = end === undefined ? '' : end - 1
  const range = `bytes=${start}-${last}`
  if (/^bytes=\d+-\d*$/.test(range) && (last === '' || last >= start)) return range
  // HTTP has no empty range, and servers respond to a malformed one with the whole file.
  throw new TypeError('Invalid range. Use whole numbers, 0 <= start < end.')
}
