import { Deleted } from '../account.ts'
import {
  AssetChanges,
  AssetPage,
  AssetPath,
  AssetResponse,
  DeleteAssetQuery,
  DownloadUrl,
  LinkRequest,
  ListAssetsQuery,
  ReadAssetQuery,
} from '../asset.ts'
import { BulkRequest, BulkResponse } from '../bulk.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import {
  assetExample,
  assetPageExample,
  linkExample,
  pageExample,
  productExample,
  productGroupExample,
} from '../examples.ts'
import { PageOnlyQuery } from '../paging.ts'
import { GroupPageOnlyQuery, ProductGroupPage, ProductPage, ProductReferences } from '../product.ts'
import { CreationHeaders } from '../schema.ts'
import { ListTagsQuery, TagPage } from '../tag.ts'

export const listAssets = defineEndpoint({
  operationId: 'listAssets',
  methods: ['GET'],
  path: `${API_PREFIX}/assets`,
  tag: 'Assets',
  scope: 'read',
  summary: 'List assets',
  description:
    'Lists ready assets, newest first unless `sort` is given. `links` has the URLs of other pages.',
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
  description: 'Includes assets that are still uploading: see `status`.',
  params: AssetPath,
  query: ReadAssetQuery,
  success: {
    status: 200,
    description: 'The asset',
    schema: AssetResponse,
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
  description: 'All products that the asset is attached to, newest first, page by page.',
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

export const listProductGroupsOfAsset = defineEndpoint({
  operationId: 'listProductGroupsOfAsset',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/product-groups`,
  tag: 'Assets',
  scope: 'read',
  summary: 'List the products of an asset with their variants',
  description:
    'One entry per product, by descending `product_id`. `variants` are those that the asset is attached to. ' +
    'The asset is attached to all variants of a product if `attached_total` equals `variants_total`.',
  params: AssetPath,
  query: GroupPageOnlyQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: ProductGroupPage,
    example: {
      data: [{ ...productGroupExample, attached_total: 1 }],
      ...pageExample(`assets/${assetExample.id}/product-groups`),
    },
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
  description:
    'Redirects to a short-lived signed URL that supports range requests. While a new version of the file is compared with its declared SHA-256, and if it does not match, this is the URL of the previous version.',
  params: AssetPath,
  success: { status: 302, description: '`Location` is the URL of the file' },
  errors: ['not_found', 'not_ready', 'damaged', 'verifying', 'storage_unavailable'],
})

export const readDownloadAddress = defineEndpoint({
  operationId: 'readDownloadAddress',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/address`,
  tag: 'Assets',
  scope: 'read',
  summary: 'Get the download URL of a file',
  description:
    'Returns the URL that a download redirects to. Use it for images and videos in web pages, which cannot send a key.',
  params: AssetPath,
  success: {
    status: 200,
    description: 'A short-lived signed URL',
    schema: DownloadUrl,
    example: {
      data: {
        url: 'https://storage.example.com/assets/01981d2c?signature=…',
        expires_at: '2026-01-31T10:30:00.000Z',
      },
    },
  },
  errors: ['not_found', 'not_ready', 'damaged', 'verifying', 'storage_unavailable'],
})

export const storeLink = defineEndpoint({
  operationId: 'storeLink',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/store`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Store a link',
  description:
    'Creates an asset that is an external URL. The service never fetches that URL. Without an `Idempotency-Key`, each call creates a link.',
  headers: CreationHeaders,
  body: LinkRequest,
  bodyExample: { filename: 'course.zip', url: 'https://example.com/course.zip', size: '10MB' },
  success: {
    status: 201,
    description: 'The link',
    schema: AssetResponse,
    example: { data: linkExample },
  },
  errors: ['assets_exceeded', 'idempotency_key_reused', 'result_gone'],
})

export const changeAsset = defineEndpoint({
  operationId: 'changeAsset',
  methods: ['PUT'],
  path: `${API_PREFIX}/assets/:id`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Rename an asset, change its path, its tags or `inline`, or change a link',
  description:
    'Omitted fields do not change; a `path` of null removes the path. `tags` replaces all tags of the asset. `url` and `size` can only be changed for links.',
  params: AssetPath,
  body: AssetChanges,
  bodyExample: { filename: 'sample-pack-2.zip' },
  success: {
    status: 200,
    description: 'The changed asset',
    schema: AssetResponse,
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
    'Removes the asset from all lists, detaches it from its products and frees its storage immediately. It stays in the trash for 30 days (`STOWAGE_TRASH_FOR`) and can be restored, unless an upload needs its storage. An unfinished upload is cancelled.',
  params: AssetPath,
  query: DeleteAssetQuery,
  success: {
    status: 202,
    description: 'The asset is deleted',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: ['not_found', 'upload_completing'],
})

/** Enough for a thousand IDs of each kind and a thousand SKUs of 150 characters. */
const REFERENCES_BODY_LIMIT = 256 * 1024

const attachedExample = { data: { ...assetExample, products: [productExample] } }

export const attachProducts = defineEndpoint({
  operationId: 'attachProducts',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/attach`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Attach an asset to products',
  description:
    'A product ID selects all variants of the product. If an ID is unknown, nothing changes. Attaching the same product again has no effect.',
  params: AssetPath,
  body: ProductReferences,
  bodyLimit: REFERENCES_BODY_LIMIT,
  bodyExample: { product_ids: [632910392] },
  success: {
    status: 201,
    description: 'The asset with all of its products',
    schema: AssetResponse,
    example: attachedExample,
  },
  errors: ['not_found'],
})

export const detachProducts = defineEndpoint({
  operationId: 'detachProducts',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/detach`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Detach an asset from products',
  description:
    'Detaching a product that is not attached has no effect. If an ID is unknown, the call returns 422 and nothing changes.',
  params: AssetPath,
  body: ProductReferences,
  bodyLimit: REFERENCES_BODY_LIMIT,
  bodyExample: { variant_ids: [808950810] },
  success: {
    status: 200,
    description: 'The asset with its remaining products',
    schema: AssetResponse,
    example: { data: { ...assetExample, products: [] } },
  },
  errors: ['not_found'],
})

export const listTags = defineEndpoint({
  operationId: 'listTags',
  methods: ['GET'],
  path: `${API_PREFIX}/tags`,
  tag: 'Assets',
  scope: 'read',
  summary: 'List the tags of assets',
  description:
    'The tags of ready assets, sorted without regard to case, each with the number of its ready assets. A tag that no ready asset has is not listed.',
  query: ListTagsQuery,
  success: {
    status: 200,
    description: 'One page',
    schema: TagPage,
    example: { data: [{ name: 'audio', assets: 12 }], ...pageExample('tags') },
  },
  errors: [],
})

/** Enough for a thousand asset IDs, a thousand IDs of each kind and a thousand SKUs of 150 characters. */
const BULK_BODY_LIMIT = 320 * 1024

export const changeAssets = defineEndpoint({
  operationId: 'changeAssets',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/bulk`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Delete, restore, attach, detach, tag, untag or move many assets',
  description:
    'Changes up to 1,000 assets, all of them or none: if an ID is unknown, nothing changes. `attach` and `detach` take the same references to products as the calls for a single asset (`POST /assets/:id/attach`). `tag` adds `tags` to the assets, and `untag` removes them. `move` changes their folder to `path`. Only ready assets and assets in the trash can be deleted. Deleting an asset in the trash and restoring a ready one have no effect, so the call can be repeated. With `permanent`, assets are removed immediately and cannot be restored; a repeated call is refused, because their IDs are unknown then. `POST /bulk` changes all assets that match a filter.',
  body: BulkRequest,
  bodyLimit: BULK_BODY_LIMIT,
  bodyExample: { action: 'delete', ids: [assetExample.id] },
  success: {
    status: 200,
    description: 'All assets are changed',
    schema: BulkResponse,
    example: { data: { action: 'delete', assets: 1 } },
  },
  errors: ['storage_exceeded', 'assets_exceeded'],
})
