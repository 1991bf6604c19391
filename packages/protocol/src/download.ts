import { PageLinks, PageMeta } from './paging.ts'
import { Check, Nullable, Problem, type Static, Strict, Type, Uuid } from './schema.ts'

const MAX_TOTALS = 1000
/** The longest time that `GET /account/downloads` covers. */
export const MAX_TOTAL_DAYS = 366

export const DownloadRequest = Type.Object(
  { asset: Uuid({ description: 'The ID of a file or link that the order covers' }) },
  { title: 'DownloadRequest', ...Strict },
)

export const OrderDownload = Type.Object(
  {
    url: Type.String({
      description:
        'A URL of the service that needs no key. It redirects to the bytes until `expires_at`, as long as the order allows it, and supports range requests',
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'OrderDownload' },
)
export type OrderDownload = Static<typeof OrderDownload>

export const LoggedDownload = Type.Object(
  {
    id: Uuid(),
    asset_id: Uuid(),
    filename: Type.String(),
    version: Type.Integer(),
    bytes: Type.Integer({ description: 'The size of the file' }),
    opened_at: Type.String({ format: 'date-time' }),
    starts: Type.Integer({
      description: 'How often its bytes were requested from the first one on',
    }),
    counted: Type.Integer({ description: 'How many downloads it counts as' }),
    ip_hash: Nullable('string', {
      description:
        'Equal for downloads from the same IP address, which it does not reveal; null if a backend opened it',
    }),
  },
  { title: 'LoggedDownload' },
)
export type LoggedDownload = Static<typeof LoggedDownload>

export const LoggedDownloadPage = Type.Object(
  { data: Type.Array(LoggedDownload), links: PageLinks, meta: PageMeta },
  { title: 'LoggedDownloadPage' },
)
export type LoggedDownloadPage = Static<typeof LoggedDownloadPage>

export const AssetDownload = Type.Object(
  {
    ...LoggedDownload.properties,
    order: Type.Object({
      id: Uuid(),
      order_number: Nullable('string'),
      name: Nullable('string'),
      email: Nullable('string'),
      label: Nullable('string'),
      reference: Nullable('string'),
    }),
  },
  { title: 'AssetDownload' },
)
export type AssetDownload = Static<typeof AssetDownload>

export const AssetDownloadPage = Type.Object(
  { data: Type.Array(AssetDownload), links: PageLinks, meta: PageMeta },
  { title: 'AssetDownloadPage' },
)
export type AssetDownloadPage = Static<typeof AssetDownloadPage>

const DAY = {
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  examples: ['2026-01-31'],
  ...Check('timestamp'),
  ...Problem('must be a day such as 2026-01-31'),
}

export const DownloadTotalsQuery = Type.Object({
  from: Type.Optional(
    Type.String({ ...DAY, description: 'The first day, in UTC. Default: 30 days before `to`' }),
  ),
  to: Type.Optional(Type.String({ ...DAY, description: 'The last day, in UTC. Default: today' })),
  by: Type.Optional(
    Type.Enum(['day', 'asset', 'product'], {
      type: 'string',
      default: 'day',
      description: 'What the downloads are counted by',
      ...Problem('must be day, asset or product'),
    }),
  ),
  asset: Type.Optional(Uuid({ description: 'Only the downloads of this asset, by day' })),
})
export type DownloadTotalsQuery = Static<typeof DownloadTotalsQuery>

export const DownloadTotals = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        day: Type.Optional(Type.String()),
        asset_id: Type.Optional(Type.String()),
        filename: Type.Optional(
          Nullable('string', { description: 'By asset; null if it was deleted forever' }),
        ),
        product_id: Type.Optional(Type.Integer()),
        downloads: Type.Integer(),
      }),
      {
        description: `By day in their order, without days without downloads. Otherwise the ${MAX_TOTALS} with most downloads`,
      },
    ),
    meta: Type.Object({
      from: Type.String(),
      to: Type.String(),
      by: Type.Enum(['day', 'asset', 'product'], { type: 'string' }),
    }),
  },
  { title: 'DownloadTotals' },
)
export type DownloadTotals = Static<typeof DownloadTotals>
