import { Asset } from './asset.ts'
import { BooleanQuery, PageLinks, PageMeta, PageQuery, SearchQuery, TextQuery } from './paging.ts'
import { Check, MAX_INTEGER, Nullable, Problem, type Static, Strict, Type, Uuid } from './schema.ts'

export const MAX_ORDER_LINES = 100
/** How many assets can be attached to one order itself. */
export const MAX_ORDER_ASSETS = 100
const MAX_QUANTITY = 1_000_000
const MAX_DOWNLOADS = 1_000_000

const number = (least: number, most: number, options: object) =>
  Type.Integer({
    minimum: least,
    maximum: most,
    ...Problem(`must be a whole number from ${least} to ${most}`),
    ...options,
  })

const text = (most: number) => ({
  minLength: 1,
  maxLength: most,
  ...Check('printable'),
  ...Problem(`must be a string of 1 to ${most} characters`),
})

const nullableText = (most: number, description: string, options: object = {}) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      ...text(most),
      ...options,
      description: `${description}. null removes it`,
    }),
  )

const MOST_DOWNLOADS_PROBLEM = `must be a whole number from 1 to ${MAX_DOWNLOADS}, or null`

const mostDownloads = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: MAX_DOWNLOADS,
      description,
      ...Problem(MOST_DOWNLOADS_PROBLEM),
    }),
  )

export const EMAIL = {
  pattern: '^[^\\s@,;<>"]+@[^\\s@,;<>"]+$',
  ...Problem('must be an e-mail address of at most 254 characters, or null'),
}

const OrderLineRequest = Type.Object(
  {
    product_id: number(0, MAX_INTEGER, { description: 'The shop’s ID of the product' }),
    variant_id: Type.Optional(
      number(0, MAX_INTEGER, {
        description: 'The shop’s ID of the variant. If omitted, the line covers every variant',
      }),
    ),
    quantity: Type.Optional(number(1, MAX_QUANTITY, { default: 1 })),
    refunded_quantity: Type.Optional(
      number(0, MAX_QUANTITY, {
        description:
          'A line whose whole quantity is refunded covers nothing. If omitted, it stays as it is',
      }),
    ),
  },
  { ...Strict, ...Problem('must be an object with product_id') },
)

const lines = Type.Array(OrderLineRequest, {
  maxItems: MAX_ORDER_LINES,
  description: 'The products. All lines are replaced',
  ...Problem(`must be an array of at most ${MAX_ORDER_LINES} lines`),
})

const assetIds = Type.Array(Uuid(), {
  maxItems: MAX_ORDER_ASSETS,
  ...Problem(`must be an array of at most ${MAX_ORDER_ASSETS} IDs`),
})

const changes = {
  order_number: nullableText(255, 'The number that the buyer knows', { examples: ['#1001'] }),
  email: nullableText(254, 'The buyer’s e-mail address', EMAIL),
  name: nullableText(255, 'The buyer’s name'),
  locale: nullableText(35, 'The buyer’s language, such as `de` or `pt-BR`', {
    pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$',
    examples: ['de'],
    ...Problem('must be a language such as de or pt-BR, or null'),
  }),
  label: nullableText(255, 'A note for yourself, which the buyer does not see'),
  lines: Type.Optional(lines),
  max_downloads: mostDownloads(
    'How often each file may be downloaded, times the quantity of its line. null: the `max_downloads` of `PUT /account/branding`, or any number of times',
  ),
  expires_at: nullableText(40, 'When the download page ends, in ISO 8601', {
    ...Check('timestamp'),
    ...Problem('must be a time such as 2026-12-31T23:59:59Z, or null'),
    examples: ['2026-12-31T23:59:59Z'],
  }),
  held: Type.Optional(
    Type.Boolean({
      description: 'Whether the buyer has to wait, for example while a payment is checked',
      ...Problem('must be true or false'),
    }),
  ),
  inline: Type.Optional(
    Type.Boolean({
      description:
        'Whether the download page also plays audio and video, opens PDF files and shows small pictures, which does not count as a download. `inline` of an asset allows it in all orders. Default: false',
      ...Problem('must be true or false'),
    }),
  ),
}

export const OrderRequest = Type.Object(
  {
    reference: Type.Optional(
      Type.String({
        ...text(100),
        description:
          'The shop’s own ID of the order. Another call with the same reference changes this order and creates none',
        examples: ['gid-5123'],
      }),
    ),
    ...changes,
    ordered_at: Type.Optional(
      Type.Unsafe<number | string>({
        anyOf: [
          { type: 'integer', minimum: 0, maximum: 253_402_300_799 },
          { type: 'string', maxLength: 40, ...Check('timestamp') },
        ],
        description: 'When the buyer ordered: Unix seconds, or a time in ISO 8601. Default: now',
        ...Problem('must be Unix seconds, or a time such as 2026-01-31T09:30:00Z'),
      }),
    ),
    assets: Type.Optional({
      ...assetIds,
      description: 'Assets of this order only. A repeated call attaches further ones',
    }),
    notify: Type.Optional(
      Type.Boolean({
        description:
          'Whether the service sends “Your files are ready” to `email`. A repeated call with the same reference sends it once. Refused with `mail_not_configured` if the service sends no mail',
        ...Problem('must be true or false'),
      }),
    ),
  },
  { title: 'OrderRequest', ...Strict },
)
export type OrderRequest = Static<typeof OrderRequest>

export const OrderChanges = Type.Object(changes, { title: 'OrderChanges', ...Strict })
export type OrderChanges = Static<typeof OrderChanges>

/** Both generations of the Fileflare calls; they ignore unknown fields. */
export const OrderAssetsRequest = Type.Object(
  {
    assets: Type.Optional({ ...assetIds, description: 'IDs of assets' }),
    asset_ids: Type.Optional({ ...assetIds, description: 'The same as `assets`' }),
  },
  { title: 'OrderAssetsRequest' },
)
export type OrderAssetsRequest = Static<typeof OrderAssetsRequest>

const ORDER_STATUSES = ['active', 'held', 'expired', 'revoked'] as const
const ORDER_SOURCES = ['api', 'manual'] as const
const ORDER_SORTS = [
  'created_at',
  '-created_at',
  'ordered_at',
  '-ordered_at',
  'order_number',
  '-order_number',
] as const

const OrderLine = Type.Object({
  product_id: Type.Integer({ description: 'The shop’s ID of the product' }),
  variant_id: Nullable('integer', { description: 'null: every variant' }),
  quantity: Type.Integer(),
  refunded_quantity: Type.Integer(),
  product: Type.Unsafe<OrderProduct | null>({
    type: ['object', 'null'],
    required: ['id', 'name', 'variant_name', 'sku'],
    properties: {
      id: Uuid(),
      name: Type.String(),
      variant_name: Type.String(),
      sku: Type.String(),
    },
    description: 'The first variant that the line covers; null if it was deleted',
  }),
})

interface OrderProduct {
  id: string
  name: string
  variant_name: string
  sku: string
}

interface MoreRequested {
  asset_id: string
  requested_at: string
}

const facts = {
  id: Uuid(),
  order_number: Nullable('string', { examples: ['#1001'] }),
  email_sent_at: Nullable('integer', {
    description:
      'When the last e-mail with the files was sent: Unix seconds; null if none was sent',
  }),
  ordered_at: Type.Integer({ description: 'Unix seconds', examples: [1_769_851_800] }),
  reference: Nullable('string', { description: 'The shop’s own ID of the order' }),
  source: Type.Enum([...ORDER_SOURCES], {
    type: 'string',
    description: '`manual`: made in the dashboard',
  }),
  status: Type.Enum([...ORDER_STATUSES], {
    type: 'string',
    description: 'Only an `active` order can be downloaded',
  }),
  name: Nullable('string'),
  email: Nullable('string'),
  locale: Nullable('string'),
  label: Nullable('string'),
  lines: Type.Array(OrderLine),
  downloads: Type.Integer({ description: 'How many downloads of its files have counted' }),
  max_downloads: Nullable('integer', { description: 'null: the setting of the account' }),
  inline: Type.Boolean(),
  more_requested: Type.Unsafe<MoreRequested | null>({
    type: ['object', 'null'],
    required: ['asset_id', 'requested_at'],
    properties: {
      asset_id: Uuid(),
      requested_at: Type.String({ format: 'date-time' }),
    },
    description:
      'The file of which the buyer has asked for more downloads. Answer with a new `max_downloads`, which removes it',
  }),
  expires_at: Nullable('string', { description: 'When the download page ends' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
}

export const Order = Type.Object(
  {
    ...facts,
    url: Nullable('string', {
      description:
        'The download page. Whoever has this URL may download, so it is null for a key with the scope `read`; also if the secret key of the service was replaced since',
      examples: ['https://files.example.com/d/…'],
    }),
    assets: Type.Optional(
      Type.Array(Asset, {
        description: 'Present only with with_assets=true: those attached to the order itself',
      }),
    ),
  },
  { title: 'Order' },
)
export type Order = Static<typeof Order>

export const EventOrder = Type.Object(facts, {
  title: 'EventOrder',
  description: 'An order, without its URL',
})
export type EventOrder = Static<typeof EventOrder>

export const EventDownload = Type.Object(
  {
    ...facts,
    file: Type.Object({
      asset_id: Uuid(),
      filename: Type.String(),
      version: Type.Integer(),
    }),
  },
  { title: 'EventDownload' },
)
export type EventDownload = Static<typeof EventDownload>

export const OrderResponse = Type.Object({ data: Order }, { title: 'OrderResponse' })
export const OrderPage = Type.Object(
  { data: Type.Array(Order), links: PageLinks, meta: PageMeta },
  { title: 'OrderPage' },
)
export type OrderPage = Static<typeof OrderPage>

export const OrderPath = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The order’s ID in Stowage, or the shop’s reference, percent-encoded',
  }),
})

const WithAssets = BooleanQuery('true (or 1) to include the assets attached to the order itself')

export const ReadOrderQuery = Type.Object({ with_assets: Type.Optional(WithAssets) })

export const ListOrdersQuery = Type.Object({
  ...PageQuery,
  order_number: Type.Optional(TextQuery('The exact number')),
  with_assets: Type.Optional(WithAssets),
  search: Type.Optional(
    SearchQuery('the number, the reference, the e-mail address, the name or the label'),
  ),
  status: Type.Optional(
    Type.Enum([...ORDER_STATUSES], {
      type: 'string',
      description: 'Only orders with this status',
      ...Problem(`must be ${ORDER_STATUSES.join(', ')}`),
    }),
  ),
  source: Type.Optional(
    Type.Enum([...ORDER_SOURCES], {
      type: 'string',
      description: '`manual`: made in the dashboard',
      ...Problem('must be api or manual'),
    }),
  ),
  asset: Type.Optional(Uuid({ description: 'Only orders that cover this asset now' })),
  product_id: Type.Optional(
    number(0, MAX_INTEGER, { description: 'Only orders with this product, by the shop’s ID' }),
  ),
  exact_total: Type.Optional(
    BooleanQuery(
      'true: count all matches, which may take seconds if there are hundreds of thousands of orders. false, the default: `meta.total` may be an upper bound, see `meta.total_is_exact`',
    ),
  ),
  sort: Type.Optional(
    Type.Enum([...ORDER_SORTS], {
      type: 'string',
      default: '-created_at',
      description:
        'Prefix with `-` for descending order. Orders without a number come before the others. Numbers are sorted by their value: #9 before #10',
      ...Problem(`must be one of ${ORDER_SORTS.join(', ')}`),
    }),
  ),
})
export type ListOrdersQuery = Static<typeof ListOrdersQuery>

export const AttachedOrderResponse = Type.Object(
  { attached: Type.Boolean(), asset_ids: Type.Array(Uuid()), data: Order },
  { title: 'AttachedOrderResponse' },
)
export const DetachedOrderResponse = Type.Object(
  { detached: Type.Boolean(), asset_ids: Type.Array(Uuid()), data: Order },
  { title: 'DetachedOrderResponse' },
)

const MAX_ORDER_FILES = 1000

export const OrderFile = Type.Object(
  {
    asset: Asset,
    line: Nullable('integer', {
      description:
        'The index of the first line that covers it, from 0; null if it is attached to the order itself',
    }),
    downloaded: Type.Integer({ description: 'How many downloads count toward the limit' }),
    limit: Nullable('integer', { description: 'null: any number of times' }),
    open_until: Nullable('string', {
      description: 'Until then, its last download can be started again at no cost',
    }),
  },
  { title: 'OrderFile' },
)
export type OrderFile = Static<typeof OrderFile>

export const OrderFiles = Type.Object(
  {
    data: Type.Array(OrderFile, {
      description: `At most the first ${MAX_ORDER_FILES}; the others can be downloaded, too`,
    }),
  },
  { title: 'OrderFiles' },
)
export type OrderFiles = Static<typeof OrderFiles>

export const BrandingRequest = Type.Object(
  {
    name: nullableText(100, 'The name that buyers know'),
    logo: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        format: 'uuid',
        description: 'The ID of an asset with a picture. null removes it',
        ...Problem('must be the ID of an image, or null'),
      }),
    ),
    color: nullableText(7, 'The color of the buttons', {
      pattern: '^#[0-9a-fA-F]{6}$',
      examples: ['#0b7285'],
      ...Problem('must be a color such as #0b7285, or null'),
    }),
    help_text: nullableText(
      500,
      'What buyers should do if something does not work. It may have several lines',
      Check('lines'),
    ),
    help_email: nullableText(254, 'The e-mail address for buyers', EMAIL),
    max_downloads: mostDownloads(
      'How often each file of an order may be downloaded, if the order has no limit of its own. null: any number of times',
    ),
  },
  { title: 'BrandingRequest', ...Strict },
)
export type BrandingRequest = Static<typeof BrandingRequest>

export const Branding = Type.Object(
  {
    name: Nullable('string'),
    logo: Nullable('string', { description: 'The ID of the asset' }),
    color: Nullable('string'),
    help_text: Nullable('string'),
    help_email: Nullable('string'),
    max_downloads: Nullable('integer'),
  },
  { title: 'Branding' },
)
export type Branding = Static<typeof Branding>
export const BrandingResponse = Type.Object({ data: Branding }, { title: 'BrandingResponse' })

export const CustomerOrderQuery = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The token of the download page: the last part of its URL',
    ...Problem('must be the token of a download page'),
  }),
})

const Limits = Type.Object({
  downloaded: Type.Integer(),
  limit: Nullable('integer', { description: 'null: any number of times' }),
})

const CustomerAsset = Type.Object({
  limits: Limits,
  view_url: Nullable('string', {
    description:
      'Plays or opens the file, or shows a small picture, without counting; null if the order does not allow it',
  }),
  data: Asset,
})

export const CustomerOrder = Type.Object(
  {
    order: Type.Object({
      order_number: Nullable('string'),
      status: Type.Enum([...ORDER_STATUSES], { type: 'string' }),
      expires_at: Nullable('string'),
      lines: Type.Array(
        Type.Object({ product: OrderLine.properties.product, assets: Type.Array(CustomerAsset) }),
      ),
      assets: Type.Array(CustomerAsset, { description: 'Those attached to the order itself' }),
    }),
    text: Type.Record(Type.String(), Type.String(), {
      description: 'Texts for a page, in the language of `Accept-Language` or of the order',
    }),
  },
  { title: 'CustomerOrder' },
)
export type CustomerOrder = Static<typeof CustomerOrder>
