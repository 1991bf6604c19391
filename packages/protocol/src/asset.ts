import { FolderQuery } from './folder.ts'
import { BooleanQuery, PageLinks, PageMeta, PageQuery, SearchQuery, TextQuery } from './paging.ts'
import {
  Check,
  FILENAME_PROBLEM,
  MAX_INTEGER,
  Nullable,
  PATH_PROBLEM,
  Problem,
  type Static,
  Type,
  Uuid,
} from './schema.ts'
import { TagFilter, Tags } from './tag.ts'

export const SHA256_EXAMPLE = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** The digest of a file or a version. */
export interface Checksum {
  sha256: string
  verified_at: string
}

/** A schema with an array of types serializes much faster than `anyOf`. */
export const NullableChecksum = Type.Unsafe<Checksum | null>({
  type: ['object', 'null'],
  required: ['sha256', 'verified_at'],
  properties: {
    sha256: Type.String({ description: 'In hexadecimal', examples: [SHA256_EXAMPLE] }),
    verified_at: Type.String({
      format: 'date-time',
      description: 'When the service last read the file and found this digest',
    }),
  },
  description:
    'The SHA-256 of the file. Null for links, and until the service has verified the file once',
})

export const Damaged = Type.Boolean({
  description:
    'Whether the stored bytes do not match the declared SHA-256, have changed since the upload, or cannot be read. A damaged file cannot be downloaded. If a new version does not match its declared SHA-256, downloads return the previous version',
})

const ID_EXAMPLE = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'

export const Product = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    variant_name: Type.String(),
    sku: Type.String(),
    product_id: Type.Integer(),
    variant_id: Type.Integer(),
    vendor: Type.String(),
    tags: Type.Array(Type.String()),
  },
  { title: 'Product' },
)
export type Product = Static<typeof Product>

export const Asset = Type.Object(
  {
    id: Uuid({ examples: [ID_EXAMPLE] }),
    filename: Type.String({ examples: ['sample-pack.zip'] }),
    size: Type.String({
      description: 'Formatted for display, in decimal units',
      examples: ['250 MB'],
    }),
    is_file: Type.Boolean(),
    is_link: Type.Boolean(),
    url: Nullable('string', { description: 'The URL of a link; null for a file' }),
    status: Type.Enum(['uploading', 'ready'], { type: 'string' }),
    bytes: Type.Integer({ description: 'The exact size in bytes', examples: [250_000_000] }),
    mime: Type.String({ examples: ['application/zip'] }),
    created_at: Type.String({ format: 'date-time', examples: ['2026-01-31T09:30:00.000Z'] }),
    updated_at: Type.String({
      format: 'date-time',
      description:
        'When the name, the path, the tags, `inline`, the link or the version last changed',
      examples: ['2026-01-31T09:30:00.000Z'],
    }),
    version: Type.Integer({ description: 'The number of the current version', examples: [1] }),
    path: Nullable('string', {
      description: 'The folder that the file came from; null for none',
      examples: ['course/week 1'],
    }),
    tags: Type.Array(Type.String(), {
      description: 'Sorted without regard to case',
      examples: [['audio', 'Summer sale']],
    }),
    inline: Type.Boolean({
      description:
        'Whether buyers may also open the file without downloading it, if it is audio, video, PDF or a picture',
    }),
    deleted_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Present only for an asset in the trash' }),
    ),
    removed_after: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Present only for an asset in the trash. The asset is removed after this time, or earlier if an upload needs its storage',
      }),
    ),
    checksum: NullableChecksum,
    damaged: Damaged,
    products: Type.Optional(
      Type.Array(Product, {
        description: 'Present with with_products=true, and in the responses of attach and detach',
      }),
    ),
  },
  { title: 'Asset' },
)
export type Asset = Static<typeof Asset>

export const AssetResponse = Type.Object({ data: Asset }, { title: 'AssetResponse' })
export type AssetResponse = Static<typeof AssetResponse>

export const DownloadUrl = Type.Object(
  {
    data: Type.Object({
      url: Type.String({
        description: 'The download URL, which supports range requests, or the URL of a link',
      }),
      expires_at: Nullable('string', {
        description: 'When the URL expires; null for a link',
        examples: ['2026-01-31T10:30:00.000Z'],
      }),
    }),
  },
  { title: 'DownloadUrl' },
)
export type DownloadUrl = Static<typeof DownloadUrl>

export const AssetPath = Type.Object({ id: Uuid({ description: 'The asset’s ID' }) })

const sizeOfLink = {
  anyOf: [
    { type: 'integer', minimum: 0, maximum: MAX_INTEGER },
    { type: 'string', maxLength: 32 },
  ],
  description: 'Number of bytes, or a string such as 10MB',
  ...Check('size'),
  ...Problem('must be a number of bytes, or a string such as 10MB or 1.5 GB'),
}
const filename = Type.String({
  minLength: 1,
  maxLength: 255,
  ...Check('filename'),
  ...Problem(FILENAME_PROBLEM),
})
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'http or https, without a user name or password',
  examples: ['https://example.com/course.zip'],
  ...Check('link-url'),
  ...Problem('must be an http or https URL of at most 2048 characters'),
})

/** The folder of an asset in a request. */
export const AssetFolder = Nullable('string', {
  maxLength: 512,
  description:
    'The folder that the file came from, such as `course/week 1`: relative, separated by `/`. It is stored in Unicode normalization form C. Empty or null means none',
  examples: ['course/week 1'],
  ...Check('path'),
  ...Problem(PATH_PROBLEM),
})

export const LinkRequest = Type.Object(
  {
    filename,
    url,
    size: Type.Optional(Type.Unsafe<number | string>(sizeOfLink)),
    path: Type.Optional(AssetFolder),
    tags: Type.Optional(Tags),
    type: Type.Optional(
      Type.Enum(['link'], {
        type: 'string',
        description: 'Accepted because existing clients send it; every asset stored here is a link',
        ...Problem('must be link, or omitted'),
      }),
    ),
  },
  { title: 'LinkRequest' },
)
export type LinkRequest = Static<typeof LinkRequest>

export const AssetChanges = Type.Object(
  {
    filename: Type.Optional(filename),
    url: Type.Optional(url),
    size: Type.Optional(Type.Unsafe<number | string>(sizeOfLink)),
    path: Type.Optional(AssetFolder),
    tags: Type.Optional(Tags),
    inline: Type.Optional(
      Type.Boolean({
        description:
          'Whether buyers may also open the file in the page of their order, which does not count as a download: audio, video and PDF, and a preview of a picture. Like `inline` of an order, but for all orders with this file',
        ...Problem('must be true or false'),
      }),
    ),
  },
  { title: 'AssetChanges' },
)
export type AssetChanges = Static<typeof AssetChanges>

export const DeleteAssetQuery = Type.Object({
  permanent: Type.Optional(
    Type.Boolean({
      description: 'true: removes the asset immediately, even if it is in the trash',
      ...Problem('must be true, false, 1 or 0'),
    }),
  ),
})

/** The largest number that both databases store. */
const MAX_VERSION = 2_147_483_647

export const Version = Type.Object(
  {
    version: Type.Integer({
      description: 'The number of the version; numbers are never reused',
      examples: [2],
    }),
    filename: Type.String({ examples: ['sample-pack.zip'] }),
    size: Type.String({
      description: 'Formatted for display, in decimal units',
      examples: ['250 MB'],
    }),
    bytes: Type.Integer({ description: 'The exact size in bytes', examples: [250_000_000] }),
    mime: Type.String({ examples: ['application/zip'] }),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the upload of this version was requested',
    }),
    checksum: NullableChecksum,
    damaged: Damaged,
    current: Type.Boolean({ description: 'Whether downloads of the asset return this version' }),
    removed_next: Type.Boolean({
      description:
        'Whether the next replacement removes this version, because the service keeps only `keep_versions` of the account. Those that were replaced first are removed first',
    }),
  },
  { title: 'Version' },
)
export type Version = Static<typeof Version>

export const VersionList = Type.Object(
  { data: Type.Array(Version, { description: 'The highest number first' }) },
  { title: 'VersionList' },
)
export type VersionList = Static<typeof VersionList>

export const VersionPath = Type.Object({
  id: Uuid({ description: 'The asset’s ID' }),
  version: Type.Integer({
    minimum: 1,
    maximum: MAX_VERSION,
    description: 'The number of the version',
  }),
})

const WithProducts = BooleanQuery('true (or 1) to include the products of each asset')

export const ReadAssetQuery = Type.Object({ with_products: Type.Optional(WithProducts) })

const SORTS = ['created_at', '-created_at', 'filename', '-filename', 'bytes', '-bytes'] as const

export const ListAssetsQuery = Type.Object({
  ...PageQuery,
  search: Type.Optional(
    SearchQuery(
      'the file name, in the `path`, or in the name, variant name, SKU or vendor of an attached product',
    ),
  ),
  filename: Type.Optional(
    TextQuery('Any part of the name, case-insensitive; `%` and `_` are not wildcards'),
  ),
  with_products: Type.Optional(WithProducts),
  sort: Type.Optional(
    Type.Enum([...SORTS], {
      type: 'string',
      default: '-created_at',
      description:
        'Prefix with `-` for descending order. Numbers in file names are sorted by their value: 2 before 10',
      ...Problem(`must be one of ${SORTS.join(', ')}`),
    }),
  ),
  type: Type.Optional(
    Type.Enum(['file', 'link'], {
      type: 'string',
      description: 'Only files, or only links',
      ...Problem('must be file or link'),
    }),
  ),
  attached: Type.Optional(
    BooleanQuery(
      'true: only assets that are attached to a product; false: only assets that are not',
    ),
  ),
  path: Type.Optional(
    FolderQuery(
      'Only assets in this folder and below it: `course` and `course/` find `course` and `course/week 1`, not `course 2`. Case-sensitive',
    ),
  ),
  below: Type.Optional(
    BooleanQuery(
      'false: only assets in the folder `path` itself, not below it; without `path`, only assets that are in no folder',
    ),
  ),
  tag: Type.Optional(TagFilter),
  trashed: Type.Optional(
    BooleanQuery(
      'true: the assets in the trash, the most recently deleted first. Assets in the trash are detached from their products. `sort` must be omitted',
    ),
  ),
  exact_total: Type.Optional(
    BooleanQuery(
      'true, the default with `filename`: count all matches, which may take seconds the first time if there are hundreds of thousands of assets. false, the default without `filename`: `meta.total` may be an upper bound, see `meta.total_is_exact`',
    ),
  ),
  sku: Type.Optional(TextQuery('Only assets that are attached to a product with exactly this SKU')),
  product_id: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_INTEGER,
      description:
        'Only assets that are attached to any variant of the product with this ID in the shop',
      ...Problem(`must be a whole number from 0 to ${MAX_INTEGER}`),
    }),
  ),
})
export type ListAssetsQuery = Static<typeof ListAssetsQuery>

export const AssetPage = Type.Object(
  { data: Type.Array(Asset), links: PageLinks, meta: PageMeta },
  { title: 'AssetPage' },
)
export type AssetPage = Static<typeof AssetPage>
