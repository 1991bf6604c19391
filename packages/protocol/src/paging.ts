import Type, { type Static } from 'typebox'
import { Asset, WithProducts } from './asset.ts'
import { LARGEST_INTEGER, Nullable, Problem } from './schema.ts'

export const PageLinks = Type.Object(
  {
    first: Type.String(),
    last: Type.String(),
    prev: Nullable('string'),
    next: Nullable('string'),
  },
  { title: 'PageLinks' },
)
export type PageLinks = Static<typeof PageLinks>

export const PageMeta = Type.Object(
  {
    current_page: Type.Integer(),
    from: Type.Integer({ description: 'Number of the first row of this page; 0 when empty' }),
    to: Type.Integer(),
    last_page: Type.Integer(),
    per_page: Type.Integer(),
    total: Type.Integer(),
    path: Type.String({ description: 'The address of the listing without its query' }),
    links: Type.Array(
      Type.Object({ url: Nullable('string'), label: Type.String(), active: Type.Boolean() }),
      { description: 'Previous, at most 13 page numbers around the current one, Next' },
    ),
  },
  { title: 'PageMeta' },
)
export type PageMeta = Static<typeof PageMeta>

/** The largest page that a listing returns, whatever is asked for. */
export const LARGEST_PAGE = 1000

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LARGEST_INTEGER,
      default: 25,
      description: `Page size; above ${LARGEST_PAGE} gives ${LARGEST_PAGE}`,
      ...Problem('must be a whole number of 1 or more'),
    }),
  ),
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LARGEST_INTEGER,
      default: 1,
      ...Problem('must be a whole number of 1 or more'),
    }),
  ),
}

export const ListAssetsQuery = Type.Object({
  ...PageQuery,
  filename: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'Any part of the name, in any case and script; % and _ mean themselves',
      ...Problem('must be text of at most 255 characters'),
    }),
  ),
  with_products: Type.Optional(WithProducts),
})
export type ListAssetsQuery = Static<typeof ListAssetsQuery>

export const AssetPage = Type.Object(
  { data: Type.Array(Asset), links: PageLinks, meta: PageMeta },
  { title: 'AssetPage' },
)
export type AssetPage = Static<typeof AssetPage>
