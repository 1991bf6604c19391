import { Asset, Product } from './asset.ts'
import { BooleanQuery, PageLinks, PageMeta, PageQuery, SearchQuery, TextQuery } from './paging.ts'
import {
  Check,
  MAX_INTEGER,
  Nullable,
  Problem,
  type Static,
  Strict,
  type TSchema,
  Type,
  Uuid,
} from './schema.ts'

/** The maximum number of assets nested in a product; `GET /products/:id/assets` lists all of them. */
export const MAX_NESTED_ASSETS = 100

/** The limits of one call of `PUT /products`: all tags, and the characters of all strings together. */
export const MAX_TAGS = 25_000
export const MAX_PRODUCT_CHARACTERS = 2_000_000

/**
 * The maximum number of products in one call of `PUT /products`, and of IDs or SKUs of each kind in one call that
 * attaches or detaches products.
 */
export const MAX_PRODUCTS = 1000

export const ProductWithAssets = Type.Object(
  {
    ...Product.properties,
    assets: Type.Optional(
      Type.Array(Asset, {
        description: `The newest ${MAX_NESTED_ASSETS} assets; present only with with_assets=true`,
      }),
    ),
    assets_total: Type.Optional(
      Type.Integer({
        description: 'The number of attached assets; present only with with_assets=true',
      }),
    ),
  },
  { title: 'ProductWithAssets' },
)
export type ProductWithAssets = Static<typeof ProductWithAssets>

export const ProductResponse = Type.Object(
  { data: ProductWithAssets },
  { title: 'ProductResponse' },
)
export const ProductPage = Type.Object(
  { data: Type.Array(ProductWithAssets), links: PageLinks, meta: PageMeta },
  { title: 'ProductPage' },
)
export type ProductPage = Static<typeof ProductPage>

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
    matching_total: Type.Optional(
      Type.Integer({
        description:
          'The number of variants that match the filters. Only in the list of all products',
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

const shopId = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: MAX_INTEGER,
    description,
    ...Problem(`must be a whole number from 0 to ${MAX_INTEGER}`),
  })

const text = (minLength: number) => ({
  minLength,
  maxLength: 255,
  ...Check('printable'),
  ...Problem(`must be a string of ${minLength} to 255 characters`),
})

const optionalText = (subject: string) =>
  Type.Optional(
    Type.String({
      ...text(0),
      description: `Missing: the stored ${subject} is kept. An empty string clears it`,
    }),
  )

export const ProductDetails = Type.Object(
  {
    product_id: Type.Optional(
      shopId('The shop’s ID of the product. Required with `variant_id`, and without `handle`'),
    ),
    variant_id: Type.Optional(
      shopId('The shop’s ID of the variant. Required with `product_id`, and without `handle`'),
    ),
    handle: Type.Optional(
      Type.String({
        ...text(1),
        description:
          'The product’s name in the URLs of the shop. Without IDs, a product is identified by its SKU, or by its handle and its variant name',
        examples: ['sample-pack'],
      }),
    ),
    match_by: Type.Optional(
      Type.Enum(['sku', 'handle'], {
        type: 'string',
        default: 'sku',
        description:
          'How a product without IDs is identified: `handle` if other products may have the same SKU',
        ...Problem('must be sku or handle'),
      }),
    ),
    name: Type.String({ ...text(1), description: 'Required, even for an existing product' }),
    variant_name: optionalText('variant name'),
    sku: optionalText('SKU'),
    vendor: optionalText('vendor'),
    tags: Type.Optional(
      Type.Array(Type.String(text(1)), {
        maxItems: 250,
        description: 'Missing: the stored tags are kept. An empty array removes them',
        ...Problem('must be an array of at most 250 strings of 1 to 255 characters'),
      }),
    ),
  },
  {
    title: 'ProductDetails',
    ...Strict,
    ...Problem('must be an object with product_id, variant_id and name, or with handle and name'),
  },
)
export type ProductDetails = Static<typeof ProductDetails>

export const ProductsRequest = Type.Object(
  {
    products: Type.Array(ProductDetails, {
      minItems: 1,
      maxItems: MAX_PRODUCTS,
      ...Problem(`must be an array of 1 to ${MAX_PRODUCTS} products`),
    }),
  },
  { title: 'ProductsRequest', ...Strict },
)

export const ProductList = Type.Object({ data: Type.Array(Product) }, { title: 'ProductList' })

/** How many files of a product can be in an order. */
export const MAX_ORDERED_FILES = 1000

const orderedAssets = (description: string) =>
  Type.Array(Uuid(), {
    maxItems: MAX_ORDERED_FILES,
    description,
    ...Problem(`must be an array of up to ${MAX_ORDERED_FILES} different asset IDs`),
  })

export const ListFilesQuery = Type.Object({
  ...PageQuery,
  all_variants: Type.Optional(
    BooleanQuery('true (or 1) to include the assets of the other variants of the product'),
  ),
  with_products: Type.Optional(
    BooleanQuery('true (or 1) to include the products that each asset is attached to'),
  ),
})

export type ListFilesQuery = Static<typeof ListFilesQuery>

export const FileOrderRequest = Type.Object(
  {
    assets: orderedAssets(
      'The IDs of the assets in their new order. They are attached to a variant of the product. Empty: the order of their uploads',
    ),
  },
  { title: 'FileOrderRequest', ...Strict },
)
export type FileOrderRequest = Static<typeof FileOrderRequest>

export const FileOrderResponse = Type.Object(
  { data: Type.Object({ assets: orderedAssets('The IDs of the assets in their order') }) },
  { title: 'FileOrderResponse' },
)

export const ProductPath = Type.Object({ id: Uuid({ description: 'The product’s ID' }) })
const WithAssets = BooleanQuery(
  `true (or 1) to include the newest ${MAX_NESTED_ASSETS} attached assets and their number`,
)

export const ReadProductQuery = Type.Object({
  with_assets: Type.Optional(WithAssets),
})

/** Each has an index, so that a page costs the same for any number of products. */
const PRODUCT_SORTS = [
  'created_at',
  '-created_at',
  'name',
  '-name',
  'sku',
  '-sku',
  'product_id',
  '-product_id',
] as const

function ProductSort(usual: (typeof PRODUCT_SORTS)[number], description: string) {
  return Type.Optional(
    Type.Enum([...PRODUCT_SORTS], {
      type: 'string',
      default: usual,
      description,
      ...Problem(`must be one of ${PRODUCT_SORTS.join(', ')}`),
    }),
  )
}

const ProductFilters = {
  search: Type.Optional(SearchQuery('the name, the variant name, the SKU or the vendor')),
  name: Type.Optional(TextQuery('Any part of the name or the variant name, case-insensitive')),
  sku: Type.Optional(TextQuery('The exact SKU')),
  product_id: Type.Optional(shopId('The shop’s ID of the product; matches all of its variants')),
  variant_id: Type.Optional(shopId('The shop’s ID of the variant')),
  vendor: Type.Optional(TextQuery('The vendor, case-insensitive')),
  tag: Type.Optional(TextQuery('A tag, case-insensitive')),
  has_assets: Type.Optional(
    BooleanQuery(
      'true: only variants that a ready asset is attached to; false: only variants without one',
    ),
  ),
}

export const ListProductsQuery = Type.Object({
  ...PageQuery,
  ...ProductFilters,
  sort: ProductSort(
    '-created_at',
    'Prefix with `-` for descending order. Names and SKUs are sorted without regard to case, equal names by the variant name',
  ),
  with_assets: Type.Optional(WithAssets),
})
export type ListProductsQuery = Static<typeof ListProductsQuery>

export const ListProductGroupsQuery = Type.Object({
  ...GroupPageQuery,
  ...ProductFilters,
  sort: ProductSort(
    '-product_id',
    'Prefix with `-` for descending order. The other columns are those of the first variant of the product, with or without the filters',
  ),
})
export type ListProductGroupsQuery = Static<typeof ListProductGroupsQuery>

const listOf = <Item extends TSchema>(item: Item, description: string) =>
  Type.Optional(
    Type.Array(item, {
      maxItems: MAX_PRODUCTS,
      description,
      ...Problem(`must be an array of at most ${MAX_PRODUCTS} IDs`),
    }),
  )

export const ProductReferences = Type.Object(
  {
    product_ids: listOf(
      shopId(''),
      'The shop’s product IDs; each selects all variants of the product',
    ),
    variant_ids: listOf(shopId(''), 'The shop’s variant IDs'),
    products: listOf(Uuid(), 'Product IDs in Stowage'),
    skus: Type.Optional(
      Type.Array(Type.String(text(1)), {
        maxItems: MAX_PRODUCTS,
        description: 'SKUs; each selects all products with exactly this SKU',
        ...Problem(`must be an array of at most ${MAX_PRODUCTS} SKUs`),
      }),
    ),
  },
  { title: 'ProductReferences' },
)
export type ProductReferences = Static<typeof ProductReferences>
