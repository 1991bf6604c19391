import { PageLinks, PageMeta, PageQuery, TextQuery } from './paging.ts'
import { Check, Problem, type Static, Type } from './schema.ts'

/** The maximum number of tags of an asset, and of characters of a tag. */
export const MAX_ASSET_TAGS = 50
export const MAX_TAG_LENGTH = 100

/** The tags of assets in a request. */
export const Tags = Type.Array(Type.String({ ...Check('tag') }), {
  maxItems: MAX_ASSET_TAGS,
  description: `At most ${MAX_ASSET_TAGS} tags of 1 to ${MAX_TAG_LENGTH} characters. Spaces around a tag are removed. Spellings that differ only in case, width or the composition of accents are the same tag: the first one is kept`,
  examples: [['audio', 'Summer sale']],
  ...Problem(`must be an array of at most ${MAX_ASSET_TAGS} tags`),
})

/** A list with a tag as its filter. */
export const TagFilter = TextQuery(
  'Only assets with this tag, in any spelling that is the same tag',
)

export const ListTagsQuery = Type.Object({
  ...PageQuery,
  search: Type.Optional(
    TextQuery('Any part of the tag, case-insensitive; `%` and `_` are not wildcards'),
  ),
})
export type ListTagsQuery = Static<typeof ListTagsQuery>

export const Tag = Type.Object(
  {
    name: Type.String({
      description: 'The tag, as its oldest ready asset spells it',
      examples: ['Summer sale'],
    }),
    assets: Type.Integer({ description: 'The number of ready assets with this tag' }),
  },
  { title: 'Tag' },
)
export type Tag = Static<typeof Tag>

export const TagPage = Type.Object(
  { data: Type.Array(Tag), links: PageLinks, meta: PageMeta },
  { title: 'TagPage' },
)
export type TagPage = Static<typeof TagPage>
