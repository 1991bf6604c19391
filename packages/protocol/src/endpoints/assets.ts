import { Deleted } from '../account.ts'
import { AssetAnswer, AssetChanges, AssetPath, DownloadAddress, LinkRequest } from '../asset.ts'
import { defineEndpoint } from '../endpoint.ts'
import {
  assetExample,
  assetPageExample,
  linkExample,
  pageExample,
  productExample,
} from '../examples.ts'
import { AssetPage, ListAssetsQuery, PageOnlyQuery, ReadAssetQuery } from '../paging.ts'
import { ProductPage, ProductReferences } from '../product.ts'
import { API_PREFIX } from './prefix.ts'

export const listAssets = defineEndpoint({
  operationId: 'listAssets',
  methods: ['GET'],
  path: `${API_PREFIX}/assets`,
  tag: 'Assets',
  scope: 'read',
  summary: 'List assets',
  description: 'Ready assets only, newest first. `links` move between pages.',
  query: ListAssetsQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: AssetPage,
    example: assetPageExample,
  },
  errors: [],
})

export const readAsset = defineEndpoint({
  operationId: 'readAsset',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id`,
  tag: 'Assets',
  scope: 'read',
  summary: 'View one asset',
  description: 'Also answers an asset that is still uploading; `status` says so.',
  params: AssetPath,
  query: ReadAssetQuery,
  success: {
    status: 200,
    description: 'The asset',
    schema: AssetAnswer,
    example: { data: assetExample },
  },
  errors: ['not_found'],
})

export const listProductsOfAsset = defineEndpoint({
  operationId: 'listProductsOfAsset',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/products`,
  tag: 'Assets',
  scope: 'read',
  summary: 'List the products of an asset',
  description: 'All products that the asset is linked to, newest first, page by page.',
  params: AssetPath,
  query: PageOnlyQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: ProductPage,
    example: { data: [productExample], ...pageExample(`assets/${assetExample.id}/products`) },
  },
  errors: ['not_found'],
})

export const downloadAsset = defineEndpoint({
  operationId: 'downloadAsset',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/download`,
  tag: 'Assets',
  scope: 'read',
  summary: 'Download a file',
  description: 'Redirects to a short-lived signed address that takes ranges.',
  params: AssetPath,
  success: { status: 302, description: '`Location` is the address of the bytes' },
  errors: ['not_found', 'not_ready', 'storage_unavailable'],
})

export const readDownloadAddress = defineEndpoint({
  operationId: 'readDownloadAddress',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/address`,
  tag: 'Assets',
  scope: 'read',
  summary: 'The address of a file’s bytes',
  description:
    'What a download redirects to, for pages that show the file: an image or a video can send no key.',
  params: AssetPath,
  success: {
    status: 200,
    description: 'A short-lived signed address',
    schema: DownloadAddress,
    example: {
      data: {
        url: 'https://storage.example.com/assets/01981d2c?signature=…',
        expires_at: '2026-01-31T10:30:00.000Z',
      },
    },
  },
  errors: ['not_found', 'not_ready', 'storage_unavailable'],
})

export const storeLink = defineEndpoint({
  operationId: 'storeLink',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/store`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Store a link',
  description: 'An asset that is an address. Nothing is ever fetched from it.',
  body: LinkRequest,
  bodyExample: { filename: 'course.zip', url: 'https://example.com/course.zip', size: '10MB' },
  success: {
    status: 201,
    description: 'The link',
    schema: AssetAnswer,
    example: { data: linkExample },
  },
  errors: [],
})

export const changeAsset = defineEndpoint({
  operationId: 'changeAsset',
  methods: ['PUT'],
  path: `${API_PREFIX}/assets/:id`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Rename an asset, or change a link',
  description: 'What is left out stays. `url` and `size` can only be changed for links.',
  params: AssetPath,
  body: AssetChanges,
  bodyExample: { filename: 'sample-pack-2.zip' },
  success: {
    status: 200,
    description: 'The asset as it is now',
    schema: AssetAnswer,
    example: { data: { ...assetExample, filename: 'sample-pack-2.zip' } },
  },
  errors: ['not_found'],
})

export const deleteAsset = defineEndpoint({
  operationId: 'deleteAsset',
  methods: ['DELETE'],
  path: `${API_PREFIX}/assets/:id`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Delete an asset',
  description:
    'It is out of listings and links at once, and its bytes are free; the file itself is removed in the background. An upload that is not finished is cancelled.',
  params: AssetPath,
  success: {
    status: 202,
    description: 'It is deleted',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: ['not_found', 'upload_completing'],
})

/** A thousand IDs of each kind fit, and a thousand SKUs of 150 characters. */
const REFERENCES_BODY_LIMIT = 256 * 1024

const linkedExample = { data: { ...assetExample, products: [productExample] } }

export const attachProducts = defineEndpoint({
  operationId: 'attachProducts',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/attach`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Link an asset to products',
  description:
    'A product id means all of its variants. An unknown id refuses the whole call. Repeating it is no error.',
  params: AssetPath,
  body: ProductReferences,
  bodyLimit: REFERENCES_BODY_LIMIT,
  bodyExample: { product_ids: [632910392] },
  success: {
    status: 201,
    description: 'The asset with all of its products',
    schema: AssetAnswer,
    example: linkedExample,
  },
  errors: ['not_found'],
})

export const detachProducts = defineEndpoint({
  operationId: 'detachProducts',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/detach`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Unlink an asset from products',
  description: 'That a product was not linked is no error; that it does not exist is.',
  params: AssetPath,
  body: ProductReferences,
  bodyLimit: REFERENCES_BODY_LIMIT,
  bodyExample: { variant_ids: [808950810] },
  success: {
    status: 200,
    description: 'The asset with the products that are left',
    schema: AssetAnswer,
    example: linkedExample,
  },
  errors: ['not_found'],
})
