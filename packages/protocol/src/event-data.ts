import { AccountResponse, Key } from './account.ts'
import { Asset, Product, Version } from './asset.ts'
import { EventMail } from './mail.ts'
import { EventDownload, EventOrder } from './order.ts'
import { Nullable, Type, Uuid } from './schema.ts'
import { ListedUpload } from './upload.ts'

/** The maximum number of products in one event. */
const MAX_EVENT_PRODUCTS = 100

const DamagedAsset = Type.Object(
  {
    ...Asset.properties,
    damaged_version: Type.Integer({
      description: 'The number of the damaged version. `damaged` describes the current version',
      examples: [1],
    }),
  },
  { title: 'DamagedAsset' },
)

const { filename: assetName, path, url } = Asset.properties

/** Absent in events that version 0.2.0 has recorded. */
const Previous = Type.Optional(
  Type.Object(
    {
      filename: Type.Optional(assetName),
      path: Type.Optional(path),
      tags: Type.Optional(Asset.properties.tags),
      inline: Type.Optional(Asset.properties.inline),
      url: Type.Optional(url),
      bytes: Type.Optional(Asset.properties.bytes),
      version: Type.Optional(Asset.properties.version),
    },
    {
      description:
        'The values that the change has replaced: only fields that changed. Absent in events of version 0.2.0',
    },
  ),
)

const UpdatedAsset = Type.Object(
  {
    ...Asset.properties,
    previous: Previous,
    repaired_version: Type.Optional(
      Type.Integer({
        description:
          'Present if a damaged version was read correctly again: its number. The asset did not change otherwise',
        examples: [1],
      }),
    ),
  },
  { title: 'UpdatedAsset' },
)

const ReplacedAsset = Type.Object(
  {
    ...Asset.properties,
    previous: Previous,
    restored: Type.Optional(
      Type.Boolean({
        description:
          'Whether an older version was restored: `version` is its number. Otherwise a new version was uploaded. Absent in events of version 0.2.0',
      }),
    ),
  },
  { title: 'ReplacedAsset' },
)

const AttachedAsset = Type.Object(
  {
    ...Asset.properties,
    products: Type.Array(
      Type.Object({ id: Uuid(), product_id: Type.Integer(), variant_id: Type.Integer() }),
      {
        description: `The products that this change attached or detached, at most ${MAX_EVENT_PRODUCTS}; a larger change has several events`,
      },
    ),
  },
  { title: 'AttachedAsset' },
)

const { version, filename, size, bytes, mime, created_at } = Version.properties

const DeletedVersion = Type.Object(
  { id: Uuid({ description: 'The asset’s ID' }), version, filename, size, bytes, mime, created_at },
  { title: 'DeletedVersion' },
)

/** The maximum number of files in one event. */
const MAX_EVENT_FILES = 100

const ArrangedProduct = Type.Object(
  {
    id: Uuid({ description: 'The ID of one of its variants in Stowage' }),
    product_id: Product.properties.product_id,
    name: Product.properties.name,
    assets: Type.Array(Uuid(), {
      description: `The IDs of its files in their new order: the first ${MAX_EVENT_FILES}. Empty if it has none`,
    }),
    assets_total: Type.Integer({ description: 'How many files the order has' }),
  },
  { title: 'ArrangedProduct' },
)

const upload = ListedUpload.properties

const EventUpload = Type.Object(
  {
    id: upload.id,
    upload_id: upload.upload_id,
    is_replacement: upload.is_replacement,
    filename: upload.filename,
    path: upload.path,
    tags: Asset.properties.tags,
    bytes: upload.bytes,
    mime: upload.mime,
    status: Type.Enum(['uploading', 'cancelled', 'expired'], { type: 'string' }),
    chunk_size: upload.chunk_size,
    parts: upload.parts,
    started_by: upload.started_by,
    created_at: upload.created_at,
    upload_expires_at: upload.upload_expires_at,
    expires_at: upload.expires_at,
  },
  { title: 'EventUpload' },
)

const account = AccountResponse.properties.data.properties

const EventAccount = Type.Object(
  {
    name: account.name,
    plan: account.plan,
    stored: account.stored,
    reserved: account.reserved,
    trash: account.trash,
    available: account.available,
    assets: account.assets,
  },
  { title: 'EventAccount' },
)

const WEBHOOK_FIELDS = ['url', 'description', 'types', 'enabled', 'secret'] as const

const EventWebhook = Type.Object(
  {
    id: Uuid(),
    origin: Type.String({
      description:
        'Only the origin of its URL: other webhooks receive this event, and the rest of the URL may contain a secret of the endpoint',
    }),
    description: Type.String(),
    types: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: Type.String(),
      description: 'The types of events that are sent; null for all types',
    }),
    enabled: Type.Boolean(),
    disabled_reason: Nullable('string', { description: '`manual`, `failing` or `gone`' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    changed: Type.Array(Type.Enum([...WEBHOOK_FIELDS], { type: 'string' }), {
      description: 'The fields that changed. Empty when the webhook was created or deleted',
    }),
  },
  { title: 'EventWebhook' },
)

const EventToken = Type.Object(
  {
    id: Uuid({
      description:
        'The ID of the token, which is also the ID of `actor` in the events of its uploads',
    }),
    max_bytes: Type.Integer(),
    max_files: Type.Integer(),
    mime: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: Type.String(),
      description: 'The allowed media types; null for every type',
    }),
    origin: Nullable('string', { description: 'The origin of the pages that may use it' }),
    replace: Nullable('string', { description: 'The ID of the file that it replaces' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'EventToken' },
)

/** The schemas of `data`. */
export const EVENT_DATA = {
  Asset,
  UpdatedAsset,
  ReplacedAsset,
  DamagedAsset,
  AttachedAsset,
  DeletedVersion,
  EventUpload,
  Product,
  ArrangedProduct,
  Key,
  EventWebhook,
  EventToken,
  EventOrder,
  EventDownload,
  EventMail,
  EventAccount,
} as const
