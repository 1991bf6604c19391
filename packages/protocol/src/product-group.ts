import { Product } from './asset.ts'
import { PageLinks, PageMeta, PageQuery } from './paging.ts'
import { Nullable, Problem } from './schema.ts'
import { type Static, Type } from './type.ts'

/** The maximum number of variants nested in a product; `GET /products?product_id=` lists all of them. */
export const MAX_NESTED_VARIANTS = 100

/** The maximum number of products on a page that lists products with their variants. */
export const MAX_GROUPS = 100

/** `assets_total` is null for a product whose variants together have more attachments than this. */
export const MAX_COUNTED_ATTACHMENTS = 5000

export const ProductGroup = Type.Object(
  {
    product_id: Type.Integer({ description: 'The shop’s ID of the product' }),
    name: Type.String({
      description: 'Taken from the first variant in `variants`, like the vendor and the tags',
    }),
    vendor: Type.String(),
    tags: Type.Array(Type.String()),
    variants: Type.Array(Product, {
      description: `The first ${MAX_NESTED_VARIANTS} variants, by \`variant_id\``,
    }),
    variants_total: Type.Integer({ description: 'The number of variants of the product' }),
    assets_total: Type.Optional(
      Nullable('integer', {
        description:
          'The number of different assets that are attached to any of the variants; ' +
          `null if there are more than ${MAX_COUNTED_ATTACHMENTS} attachments. Only in the list of all products`,
      }),
    ),
    attached_total: Type.Optional(
      Type.Integer({
        description:
          'The number of variants that the asset is attached to; all of them if it equals `variants_total`. ' +
          'Only in the list of the products of an asset',
      }),
    ),
  },
  { title: 'ProductGroup' },
)
export type ProductGroup = Static<typeof ProductGroup>

export const ProductGroupPage = Type.Object(
  { data: Type.Array(ProductGroup), links: PageLinks, meta: PageMeta },
  { title: 'ProductGroupPage' },
)
export type ProductGroupPage = Static<typeof ProductGroupPage>

export const GroupPageQuery = {
  ...PageQuery,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 25,
      description: `Products per page, at most ${MAX_GROUPS}; larger values are reduced to ${MAX_GROUPS}`,
      ...Problem('must be a whole number of 1 or more'),
    }),
  ),
}

/** The query of the products of an asset, with their variants. */
export const GroupPageOnlyQuery = Type.Object(GroupPageQuery)
