import { Revoked } from '../account.ts'
import { AssetPath } from '../asset.ts'
import {
  AssetDownloadPage,
  DownloadRequest,
  DownloadTotals,
  DownloadTotalsQuery,
  LoggedDownloadPage,
  MAX_TOTAL_DAYS,
  OrderDownload,
} from '../download.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import {
  assetDownloadExample,
  assetExample,
  brandingExample,
  customerOrderExample,
  loggedDownloadExample,
  orderExample,
  pageExample,
} from '../examples.ts'
import {
  AttachedOrderResponse,
  BrandingRequest,
  BrandingResponse,
  CustomerOrder,
  CustomerOrderQuery,
  DetachedOrderResponse,
  ListOrdersQuery,
  MAX_ORDER_ASSETS,
  OrderAssetsRequest,
  OrderChanges,
  OrderFiles,
  OrderPage,
  OrderPath,
  OrderRequest,
  OrderResponse,
  ReadOrderQuery,
} from '../order.ts'
import { PageOnlyQuery } from '../paging.ts'
import { CreationHeaders } from '../schema.ts'

const PATH = `${API_PREFIX}/orders`
const attached = { asset_ids: [assetExample.id], data: { ...orderExample, assets: [assetExample] } }
const REFUSED = ['limit_reached', 'order_held', 'order_expired', 'order_revoked'] as const

export const listOrders = defineEndpoint({
  operationId: 'listOrders',
  methods: ['GET'],
  path: PATH,
  tag: 'Orders',
  scope: 'read',
  summary: 'List orders',
  description: 'Newest first, unless `sort` is given.',
  query: ListOrdersQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: OrderPage,
    example: { data: [orderExample], ...pageExample('orders') },
  },
  errors: [],
})

export const createOrder = defineEndpoint({
  operationId: 'createOrder',
  methods: ['POST'],
  path: PATH,
  tag: 'Orders',
  scope: 'write',
  summary: 'Create an order',
  description:
    'An order is what one buyer may download: the files of its products, and its own `assets`; at least one line or asset. The response has the URL of its download page. What it covers is decided when the buyer looks: a file that is attached to a product later is there, too, and a replaced file in its current version. A call with a known `reference` changes that order and returns 200.',
  headers: CreationHeaders,
  body: OrderRequest,
  bodyExample: {
    reference: 'gid-5123',
    order_number: '#1001',
    email: 'ada@example.com',
    lines: [{ product_id: 632910392, quantity: 1 }],
    max_downloads: 5,
  },
  success: {
    status: 201,
    description: 'The order',
    schema: OrderResponse,
    example: { data: orderExample },
  },
  existing: {
    status: 200,
    description: 'The order with this reference, which existed',
    schema: OrderResponse,
    example: { data: orderExample },
  },
  errors: [
    'mail_not_configured',
    'no_email',
    'idempotency_key_reused',
    'result_gone',
    'secret_key_missing',
  ],
})

export const readOrder = defineEndpoint({
  operationId: 'readOrder',
  methods: ['GET'],
  path: `${PATH}/:id`,
  tag: 'Orders',
  scope: 'read',
  summary: 'View an order',
  description: 'Like every call of an order, by its ID or by the shop’s reference.',
  params: OrderPath,
  query: ReadOrderQuery,
  success: {
    status: 200,
    description: 'The order',
    schema: OrderResponse,
    example: { data: orderExample },
  },
  errors: ['not_found'],
})

export const listOrderFiles = defineEndpoint({
  operationId: 'listOrderFiles',
  methods: ['GET'],
  path: `${PATH}/:id/files`,
  tag: 'Orders',
  scope: 'read',
  summary: 'List the files of an order',
  description:
    'What the order covers now, in the order of its lines and then by name, with the downloads and the limit of each file. Also while it is held, expired or revoked.',
  params: OrderPath,
  success: {
    status: 200,
    description: 'The files',
    schema: OrderFiles,
    example: {
      data: [{ asset: assetExample, line: 0, downloaded: 1, limit: 5, open_until: null }],
    },
  },
  errors: ['not_found'],
})

export const changeOrder = defineEndpoint({
  operationId: 'changeOrder',
  methods: ['PATCH'],
  path: `${PATH}/:id`,
  tag: 'Orders',
  scope: 'write',
  summary: 'Change or hold an order',
  description:
    'A missing field keeps its value. The URL stays the same. A refund changes the `refunded_quantity` of a line.',
  params: OrderPath,
  body: OrderChanges,
  bodyExample: { max_downloads: 10, held: false },
  success: {
    status: 200,
    description: 'The changed order',
    schema: OrderResponse,
    example: { data: { ...orderExample, max_downloads: 10 } },
  },
  errors: ['not_found'],
})

export const revokeOrder = defineEndpoint({
  operationId: 'revokeOrder',
  methods: ['DELETE'],
  path: `${PATH}/:id`,
  tag: 'Orders',
  scope: 'write',
  summary: 'Revoke an order',
  description:
    'Its page shows that it was revoked, and running downloads end within five minutes. This cannot be undone; to stop an order for a while, set `held`.',
  params: OrderPath,
  success: {
    status: 200,
    description: 'The order is revoked',
    schema: Revoked,
    example: { revoked: true },
  },
  errors: ['not_found'],
})

const mail = {
  tag: 'Orders',
  scope: 'write',
  description:
    'Queues “Your files are ready” with the URL of the download page; `email_sent_at` is set when the mail server has accepted it. Each call sends a mail. An account may send 30 a minute by such calls. While the order is held, the mail waits.',
  params: OrderPath,
  success: {
    status: 200,
    description: 'The order',
    schema: OrderResponse,
    example: { data: orderExample },
  },
  errors: [
    'not_found',
    'mail_not_configured',
    'no_email',
    'order_revoked',
    'order_expired',
    'too_many_requests',
  ],
} as const

export const sendOrder = defineEndpoint({
  ...mail,
  operationId: 'sendOrder',
  methods: ['PUT'],
  path: `${PATH}/:id`,
  summary: 'Send the e-mail of an order',
})

export const emailOrder = defineEndpoint({
  ...mail,
  operationId: 'emailOrder',
  methods: ['POST'],
  path: `${PATH}/:id/email`,
  refusesIdempotencyKey: true,
  summary: 'Send the e-mail of an order',
})

export const attachToOrder = defineEndpoint({
  operationId: 'attachToOrder',
  methods: ['POST'],
  path: `${PATH}/:id/attach`,
  tag: 'Orders',
  scope: 'write',
  summary: 'Attach assets to an order',
  description: `For files of one order only. An order has at most ${MAX_ORDER_ASSETS} assets of its own; the others come with its products. Attaching an asset again has no effect.`,
  params: OrderPath,
  body: OrderAssetsRequest,
  bodyExample: { asset_ids: [assetExample.id] },
  success: {
    status: 201,
    description: 'The order with its assets',
    schema: AttachedOrderResponse,
    example: { attached: true, ...attached },
  },
  errors: ['not_found'],
})

export const detachFromOrder = defineEndpoint({
  operationId: 'detachFromOrder',
  methods: ['POST'],
  path: `${PATH}/:id/detach`,
  tag: 'Orders',
  scope: 'write',
  summary: 'Detach assets from an order',
  description: 'Detaching an asset that is not attached has no effect.',
  params: OrderPath,
  body: OrderAssetsRequest,
  bodyExample: { asset_ids: [assetExample.id] },
  success: {
    status: 200,
    description: 'The order with its assets',
    schema: DetachedOrderResponse,
    example: { detached: true, ...attached, data: { ...orderExample, assets: [] } },
  },
  errors: ['not_found'],
})

export const createDownload = defineEndpoint({
  operationId: 'createDownload',
  methods: ['POST'],
  path: `${PATH}/:id/downloads`,
  tag: 'Orders',
  scope: 'write',
  summary: 'Start a download for a buyer',
  description:
    'For pages of your own. Counts exactly like the button of the download page: the first call opens a download of the file that lasts 24 hours and counts once; calls within that time return the same download.',
  params: OrderPath,
  body: DownloadRequest,
  bodyExample: { asset: assetExample.id },
  success: {
    status: 200,
    description: 'The URL for the buyer',
    schema: OrderDownload,
    example: {
      url: 'https://files.example.com/d/file/…',
      expires_at: '2026-02-01T09:30:00.000Z',
    },
  },
  errors: ['not_found', ...REFUSED, 'secret_key_missing'],
})

export const listDownloads = defineEndpoint({
  operationId: 'listDownloads',
  methods: ['GET'],
  path: `${PATH}/:id/downloads`,
  tag: 'Orders',
  scope: 'read',
  summary: 'List the downloads of an order',
  description: 'The log, newest first. Downloads are kept for 90 days (`STOWAGE_DOWNLOADS_FOR`).',
  params: OrderPath,
  query: PageOnlyQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: LoggedDownloadPage,
    example: {
      data: [loggedDownloadExample],
      ...pageExample(`orders/${orderExample.id}/downloads`),
    },
  },
  errors: ['not_found'],
})

export const listAssetDownloads = defineEndpoint({
  operationId: 'listAssetDownloads',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/downloads`,
  tag: 'Orders',
  scope: 'read',
  summary: 'List the downloads of an asset',
  description:
    'By the buyers of all orders, newest first: at most the newest 10,000. Downloads are kept for 90 days (`STOWAGE_DOWNLOADS_FOR`).',
  params: AssetPath,
  query: PageOnlyQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: AssetDownloadPage,
    example: {
      data: [assetDownloadExample],
      ...pageExample(`assets/${assetExample.id}/downloads`),
    },
  },
  errors: ['not_found'],
})

export const readCustomerOrder = defineEndpoint({
  operationId: 'readCustomerOrder',
  methods: ['GET'],
  path: '/api/v2/customer-account-orders',
  tag: 'Orders',
  scope: 'public',
  summary: 'View what a buyer may download',
  description:
    'For pages of your own; needs no key. `data.url` of each asset is a URL that starts its download, which counts.',
  query: CustomerOrderQuery,
  success: {
    status: 200,
    description: 'The order and its assets',
    schema: CustomerOrder,
    example: customerOrderExample,
  },
  errors: ['not_found', 'too_many_requests', 'database_unavailable'],
})

export const readDownloadTotals = defineEndpoint({
  operationId: 'readDownloadTotals',
  methods: ['GET'],
  path: `${API_PREFIX}/account/downloads`,
  tag: 'Orders',
  scope: 'read',
  summary: 'Count the downloads of buyers',
  description: `Counted by day, asset or product, for at most ${MAX_TOTAL_DAYS} days. The cost of the call does not depend on the number of downloads.`,
  query: DownloadTotalsQuery,
  success: {
    status: 200,
    description: 'The counts',
    schema: DownloadTotals,
    example: {
      data: [{ day: '2026-01-31', downloads: 12 }],
      meta: { from: '2026-01-01', to: '2026-01-31', by: 'day' },
    },
  },
  errors: [],
})

export const readBranding = defineEndpoint({
  operationId: 'readBranding',
  methods: ['GET'],
  path: `${API_PREFIX}/account/branding`,
  tag: 'Orders',
  scope: 'read',
  summary: 'View the branding of the download pages',
  description: 'The merchant’s name, logo and color, and where buyers get help.',
  success: {
    status: 200,
    description: 'The branding',
    schema: BrandingResponse,
    example: { data: brandingExample },
  },
  errors: [],
})

export const changeBranding = defineEndpoint({
  operationId: 'changeBranding',
  methods: ['PUT'],
  path: `${API_PREFIX}/account/branding`,
  tag: 'Orders',
  scope: 'write',
  summary: 'Change the branding of the download pages',
  description:
    'A missing field keeps its value. The text on a button is black or white, whichever can be read better on its color.',
  body: BrandingRequest,
  bodyExample: { name: 'Sounds', color: '#0b7285', help_email: 'help@example.com' },
  success: {
    status: 200,
    description: 'The branding',
    schema: BrandingResponse,
    example: { data: brandingExample },
  },
  errors: [],
})
