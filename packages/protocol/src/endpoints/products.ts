import { Deleted } from '../account.ts'
import { AssetPage } from '../asset.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { assetExample, pageExample, productExample, productGroupExample } from '../examples.ts'
import {
  FileOrderRequest,
  FileOrderResponse,
  ListFilesQuery,
  ListProductGroupsQuery,
  ListProductsQuery,
  ProductGroupPage,
  ProductList,
  ProductPage,
  ProductPath,
  ProductResponse,
  ProductsRequest,
  ReadProductQuery,
} from '../product.ts'

/** Enough for a thousand products with long names and many tags. */
const PRODUCTS_BODY_LIMIT = 8 * 1024 * 1024

export const putProducts = defineEndpoint({
  operationId: 'putProducts',
  methods: ['PUT'],
  path: `${API_PREFIX}/products`,
  tag: 'Products',
  scope: 'write',
  summary: 'Add or update products',
  description:
    'Adds or updates up to 1,000 products, identified by `product_id` and `variant_id`: all of them or none. ' +
    'Products whose IDs are not known are identified by their SKU, or by `handle` and `variant_name`. New ones get provisional ' +
    'IDs, from 2^52 (4503599627370496) upward. When a product with the shop’s IDs and the same SKU, or the same handle and ' +
    'variant name, is added later, it takes their place: its `id`, its attachments and the lines of orders stay. ' +
    'A missing field keeps its stored value; an empty one clears it. In a new product, missing fields are empty. ' +
    'All products of a call may have up to 25,000 tags and 2,000,000 characters in total.',
  body: ProductsRequest,
  bodyLimit: PRODUCTS_BODY_LIMIT,
  bodyExample: {
    products: [
      {
        product_id: 632910392,
        variant_id: 808950810,
        name: 'Sample pack',
        variant_name: 'WAV',
        sku: 'PACK-WAV',
        vendor: 'Stowage Sounds',
        tags: ['audio'],
      },
    ],
  },
  success: {
    status: 200,
    description: 'The products, in the order in which they were sent',
    schema: ProductList,
    example: { data: [productExample] },
  },
  errors: [],
})

export const listProducts = defineEndpoint({
  operationId: 'listProducts',
  methods: ['GET'],
  path: `${API_PREFIX}/products`,
  tag: 'Products',
  scope: 'read',
  summary: 'List products',
  description: 'By default newest first. Filters can be combined.',
  query: ListProductsQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: ProductPage,
    example: { data: [productExample], ...pageExample('products') },
  },
  errors: [],
})

export const listProductGroups = defineEndpoint({
  operationId: 'listProductGroups',
  methods: ['GET'],
  path: `${API_PREFIX}/product-groups`,
  tag: 'Products',
  scope: 'read',
  summary: 'List products with their variants',
  description:
    'One entry per product instead of one per variant, by default by descending `product_id`; `meta.total` counts products. ' +
    'Accepts the filters of `GET /products`: a product is listed with all of its variants if one variant matches all filters.',
  query: ListProductGroupsQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: ProductGroupPage,
    example: {
      data: [{ ...productGroupExample, assets_total: 1 }],
      ...pageExample('product-groups'),
    },
  },
  errors: [],
})

export const readProduct = defineEndpoint({
  operationId: 'readProduct',
  methods: ['GET'],
  path: `${API_PREFIX}/products/:id`,
  tag: 'Products',
  scope: 'read',
  summary: 'View one product',
  description: 'By its ID in Stowage. Use `GET /products?product_id=` to find it by the shop’s ID.',
  params: ProductPath,
  query: ReadProductQuery,
  success: {
    status: 200,
    description: 'The product',
    schema: ProductResponse,
    example: { data: { ...productExample, assets: [assetExample], assets_total: 1 } },
  },
  errors: ['not_found'],
})

export const listAssetsOfProduct = defineEndpoint({
  operationId: 'listAssetsOfProduct',
  methods: ['GET'],
  path: `${API_PREFIX}/products/:id/assets`,
  tag: 'Products',
  scope: 'read',
  summary: 'List the assets of a product',
  description:
    'All ready assets that are attached to the product, page by page: in the order that `PUT /products/:id/assets` has set, and then the others, the oldest first. With more than 1,000 assets, the order is ignored. Download pages have the same order.',
  params: ProductPath,
  query: ListFilesQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: AssetPage,
    example: { data: [assetExample], ...pageExample(`products/${productExample.id}/assets`) },
  },
  errors: ['not_found'],
})

export const arrangeFiles = defineEndpoint({
  operationId: 'arrangeFiles',
  methods: ['PUT'],
  path: `${API_PREFIX}/products/:id/assets`,
  tag: 'Products',
  scope: 'write',
  summary: 'Set the order of a product’s files',
  description:
    'Sets the order in which buyers see the files of the product, for all of its variants. Assets that are attached later follow the listed ones. An asset that is detached and attached again returns to its position. Repeating the call changes nothing.',
  params: ProductPath,
  body: FileOrderRequest,
  bodyLimit: 64 * 1024,
  bodyExample: { assets: [assetExample.id] },
  success: {
    status: 200,
    description: 'The order is set',
    schema: FileOrderResponse,
    example: { data: { assets: [assetExample.id] } },
  },
  errors: ['not_found'],
})

export const deleteProduct = defineEndpoint({
  operationId: 'deleteProduct',
  methods: ['DELETE'],
  path: `${API_PREFIX}/products/:id`,
  tag: 'Products',
  scope: 'write',
  summary: 'Delete a product',
  description: 'Deletes the product and detaches its assets, which are kept.',
  params: ProductPath,
  success: {
    status: 202,
    description: 'The product is deleted',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: ['not_found'],
})
