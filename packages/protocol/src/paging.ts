import { Check, Nullable, Problem, type Static, Type } from './schema.ts'

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

/** In `meta` of every list. */
export const Ignored = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'The query parameters that this list does not know and has ignored; omitted if there are none. Check their spelling: an ignored filter filters nothing',
    examples: [['colour']],
  }),
)

export const PageMeta = Type.Object(
  {
    current_page: Type.Integer({ description: '0 if the page was requested with `after`' }),
    from: Type.Integer({
      description:
        'Number of the first row of this page; 0 if the page is empty or was requested with `after`',
    }),
    to: Type.Integer(),
    last_page: Type.Integer(),
    per_page: Type.Integer(),
    total: Type.Integer({
      description:
        'Number of rows on all pages. If `total_is_exact` is false, there are at most so many: `last_page` and the links are computed from it, and pages after the last row are empty',
    }),
    total_is_exact: Type.Boolean({
      description:
        'false if not all matches were counted, which only happens on the first pages of large lists of assets and orders with a search or a filter. Pass `exact_total=true` to have them counted',
    }),
    total_at_least: Type.Integer({
      description: 'The list has at least so many rows; the same as `total` if `total` is exact',
    }),
    path: Type.String({ description: 'The URL of the list without its query' }),
    links: Type.Array(
      Type.Object({ url: Nullable('string'), label: Type.String(), active: Type.Boolean() }),
      {
        description:
          'Previous, at most 13 page numbers (the first, the last and those around the current one), Next',
      },
    ),
    next_after: Nullable('string', {
      description: 'Pass it as `after` to read the next page; null on the last page',
      examples: ['01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'],
    }),
    ignored: Ignored,
  },
  { title: 'PageMeta' },
)
export type PageMeta = Static<typeof PageMeta>

/** A cursor contains an ID, and a name of 255 characters of up to four bytes each in base64. */
const MAX_CURSOR_LENGTH = 1500

/** The maximum number of rows on a page. */
export const MAX_PAGE_SIZE = 1000

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 25,
      description: `Rows per page, at most ${MAX_PAGE_SIZE}; larger values are reduced to ${MAX_PAGE_SIZE}`,
      ...Problem('must be a whole number of 1 or more'),
    }),
  ),
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 1,
      description: 'Number of the page; a page after the last one is empty',
      ...Problem('must be a whole number of 1 or more'),
    }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      description:
        'Instead of `page`: the `meta.next_after` of the previous page with the same sort and filters. ' +
        'Paging with `after` returns each row that stays in the list exactly once, even if other rows are added, changed or deleted in the meantime',
      ...Problem('must be the meta.next_after of a page with the same sort'),
    }),
  ),
}

/** The query of a list without filters. */
export const PageOnlyQuery = Type.Object(PageQuery)

export function BooleanQuery(description: string) {
  return Type.Boolean({ description, ...Problem('must be true, false, 1 or 0') })
}

export function TextQuery(description: string) {
  return Type.String({
    maxLength: 255,
    description,
    ...Check('printable'),
    ...Problem('must be a string of at most 255 characters'),
  })
}

/** The maximum number of different words in `search`. */
export const MAX_SEARCH_WORDS = 20

export function SearchQuery(where: string) {
  return Type.String({
    maxLength: 255,
    description: `Words in any order, case-insensitive; a word may be part of a longer one. Each word must be in ${where}. At most ${MAX_SEARCH_WORDS} different words`,
    ...Check('search'),
    ...Problem(`must be a string of at most 255 characters and ${MAX_SEARCH_WORDS} words`),
  })
}
