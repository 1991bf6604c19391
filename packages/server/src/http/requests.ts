import { createHash } from 'node:crypto'
import {
  type BulkJobRequest,
  type BulkRequest,
  type Endpoint,
  type ListAssetsQuery,
  type ListProductGroupsQuery,
  type ListProductsQuery,
  type ListTagsQuery,
  MAX_GROUPS,
  MAX_PAGE_SIZE,
  type ProductReferences,
} from '@stowage/protocol'
import { parseTimestamp } from '@stowage/protocol/format'
import { invalid } from '../domain/errors.ts'
import { isPrintable } from '../domain/names.ts'
import {
  type Cursor,
  type CursorKey,
  type PageRequest,
  readCursor,
  type SortKey,
} from '../domain/paging.ts'
import type { ProductSelection } from '../domain/product.ts'
import {
  LAST_PRODUCT_ID,
  NEWEST_PRODUCTS,
  type ProductSort,
  readPosition,
} from '../domain/product-sort.ts'
import type { AssetListRequest } from '../operations/assets.ts'
import type { Caller } from '../operations/authentication.ts'
import type { RequestedChange } from '../operations/bulk.ts'
import type { Idempotency } from '../operations/idempotency.ts'
import type { ProductGroupListRequest, ProductListRequest } from '../operations/products.ts'
import type { TagListRequest } from '../operations/tags.ts'
import type { TrashListRequest } from '../operations/trash.ts'

/**
 * The idempotency of a call that creates something. Each API key has its own keys: otherwise, another key of the account
 * could get a secret by guessing.
 */
export function readIdempotency(
  { operationId }: Endpoint,
  {
    headers,
    caller,
    body,
  }: {
    headers: { 'idempotency-key'?: string }
    caller: Pick<Caller, 'keyId'>
    body: unknown
  },
): Idempotency | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  const digest = createHash('sha256').update(`${operationId} ${JSON.stringify(sorted(body))}`)
  return { key: `${caller.keyId} ${key}`, digest: digest.digest('hex') }
}

/** The same value with the members of every object in the same order: a retry may send them in another one. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return members.map(([name, member]) => [name, sorted(member)])
}

interface PageQuery {
  page?: number | undefined
  limit?: number | undefined
  after?: string | undefined
}

const DEFAULT_PAGE_SIZE = 25

/** `after` continues after the last row of a page, so it cannot be combined with `page`. */
export function readPageRequest(
  query: PageQuery,
  sortedBy: CursorKey,
): PageRequest & { after?: Cursor } {
  return readPageAfter(query, (after) => readCursor(after, sortedBy))
}

function readPageAfter<Position>(
  { page, limit = DEFAULT_PAGE_SIZE, after }: PageQuery,
  read: (after: string) => Position | undefined,
): PageRequest & { after?: Position } {
  const request = { page: page ?? 1, perPage: Math.min(limit, MAX_PAGE_SIZE) }
  if (after === undefined) return request
  if (page !== undefined) throw invalid({ page: ['must be omitted if after is given'] })
  const cursor = read(after)
  if (cursor !== undefined) return { ...request, after: cursor }
  throw invalid({ after: ['must be the meta.next_after of a page with the same sort'] })
}

export function readAssetListRequest(query: ListAssetsQuery): AssetListRequest {
  const { search, filename, type, attached, sku, product_id: productId, path, below, tag } = query
  const sort = readAssetSort(query.sort)
  return {
    ...readPageRequest(query, sort.by),
    sort,
    search,
    filename,
    sku,
    path,
    tag,
    ...(type !== undefined && { kind: type }),
    ...(attached !== undefined && { attached }),
    ...(productId !== undefined && { productId }),
    ...(below === false && { isDirect: true }),
    // Existing clients of the interface filter by `filename`, and know no other total than an exact one.
    exactTotal: query.exact_total ?? filename !== undefined,
  }
}

function readAssetSort(sort = '-created_at'): AssetListRequest['sort'] {
  return readSort<SortKey>(sort)
}

/** A column, preceded by `-` for descending order. The schema has checked it. */
export function readSort<Key extends string>(sort: string): { by: Key; descending: boolean } {
  const by = sort.replace(/^-/, '') as Key
  return { by, descending: sort.startsWith('-') }
}

/** The query of a list of assets with `trashed=true`. */
export function readTrashListRequest(query: ListAssetsQuery): TrashListRequest {
  const {
    sort,
    search,
    filename,
    type,
    attached,
    sku,
    product_id: productId,
    path,
    below,
    tag,
  } = query
  if (sort !== undefined) {
    throw invalid({
      sort: ['must be omitted if trashed is true: the trash is sorted by the time of deletion'],
    })
  }
  return {
    ...readPageRequest(query, 'deleted_at'),
    search,
    filename,
    path,
    tag,
    isAttached: attached === true || Boolean(sku) || productId !== undefined,
    ...(type !== undefined && { kind: type }),
    ...(below === false && { isDirect: true }),
  }
}

export function readTagListRequest(query: ListTagsQuery): TagListRequest {
  const page = readPageAfter(query, (after) => {
    const tag = Buffer.from(after, 'base64url').toString()
    return tag !== '' && isPrintable(tag) ? tag : undefined
  })
  return { ...page, search: query.search }
}

export function readProductListRequest(query: ListProductsQuery): ProductListRequest {
  const sort = readProductSort(query, NEWEST_PRODUCTS)
  const page = readPageAfter(query, (after) => readPosition(after, { ...sort, numbers: 2 }))
  return { ...page, sort, ...readProductFilters(query) }
}

export function readProductGroupListRequest(
  query: ListProductGroupsQuery,
): ProductGroupListRequest {
  const sort = readProductSort(query, LAST_PRODUCT_ID)
  const page = readPageAfter(query, (after) => readPosition(after, { ...sort, numbers: 1 }))
  const perPage = Math.min(page.perPage, MAX_GROUPS)
  return { ...page, perPage, sort, ...readProductFilters(query) }
}

function readProductSort({ sort }: ListProductsQuery, usual: ProductSort): ProductSort {
  return sort === undefined ? usual : readSort<ProductSort['by']>(sort)
}

function readProductFilters(query: ListProductsQuery) {
  const { search, name, sku, vendor, tag, has_assets: hasAssets } = query
  const { product_id: productId, variant_id: variantId } = query
  return {
    ...(hasAssets !== undefined && { hasAssets }),
    search,
    name,
    sku,
    vendor,
    tag,
    ...(productId !== undefined && { productId }),
    ...(variantId !== undefined && { variantId }),
  }
}

/** The change of both bulk calls. It has only the fields of its action. */
export function readBulkChange(body: BulkRequest | BulkJobRequest): RequestedChange {
  const { action, path, permanent: isPermanent = false, tags } = body
  const { product_ids, variant_ids, products, skus } = body
  const others = { product_ids, variant_ids, products, skus }
  const hasProducts = action === 'attach' || action === 'detach'
  const hasTags = action === 'tag' || action === 'untag'
  const [reference] = Object.entries(others).filter(([, value]) => value !== undefined)
  if (!hasProducts && reference !== undefined) {
    throw invalid({ [reference[0]]: [`cannot be used with ${action}`] }, { areWireNames: true })
  }
  if (!hasTags && tags !== undefined)
    throw invalid({ tags: ['can only be used with tag and untag'] })
  if (action !== 'move' && path !== undefined) {
    throw invalid({ path: ['can only be used with move'] })
  }
  if (action !== 'delete' && isPermanent) {
    throw invalid({ permanent: ['can only be used with delete'] })
  }
  if (action === 'delete') return { action, isPermanent }
  if (action === 'restore') return { action }
  if (action === 'move') {
    if (path === undefined) throw invalid({ path: ['is required; null means no folder'] })
    return { action, path }
  }
  if (action === 'attach' || action === 'detach') {
    return { action, products: readProductSelection(body) }
  }
  if (tags === undefined || tags.length === 0) {
    throw invalid({ tags: ['is required: send at least one tag'] })
  }
  return { action, tags }
}

export function readProductSelection(references: ProductReferences): ProductSelection {
  const selection = {
    productIds: references.product_ids ?? [],
    variantIds: references.variant_ids ?? [],
    ids: references.products?.map((id) => id.toLowerCase()) ?? [],
    skus: references.skus ?? [],
  }
  if (Object.values(selection).every((values) => values.length === 0)) {
    throw invalid({
      product_ids: ['must name at least one product, unless variant_ids, products or skus do'],
    })
  }
  return selection
}

/** A time in seconds since 1970 or in ISO 8601. The schema has checked it. */
export function readTime(time: number | string): Date {
  return typeof time === 'number' ? new Date(time * 1000) : (parseTimestamp(time) ?? new Date(0))
}
