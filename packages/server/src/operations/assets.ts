import { parseSize } from '@stowage/protocol/format'
import type { AssetQuery, AttachmentOutcome } from '../database/account-data.ts'
import { type AssetsAttachmentOutcome, MAX_BULK_ATTACHMENTS } from '../database/trash-data.ts'
import { type Asset, isVisible, NOT_VERIFIED, UNKNOWN_MEDIA_TYPE } from '../domain/asset.ts'
import { invalid } from '../domain/errors.ts'
import {
  folderOfFilter,
  normalizePath,
  problemWithFilename,
  problemWithPath,
} from '../domain/names.ts'
import { cursorText, type PagePosition } from '../domain/paging.ts'
import type { Product, ProductSelection } from '../domain/product.ts'
import { foldText, searchWords } from '../domain/search.ts'
import { foldTag, normalizeTags } from '../domain/tags.ts'
import { problemWithLinkUrl } from '../domain/urls.ts'
import type { AccountContext } from './context.ts'
import { createOnce, type Idempotency } from './idempotency.ts'
import { isHalfEmpty, readPage } from './listing.ts'
import {
  assetNotFound,
  assetsExceeded,
  tooManyTags,
  unknownAssets,
  unknownProducts,
} from './refusals.ts'

export async function getAsset({ data }: AccountContext, assetId: string): Promise<Asset> {
  const asset = await data.findAsset(assetId)
  if (asset === undefined || !isVisible(asset.status)) throw assetNotFound()
  return asset
}

/** An empty filter means no filter. */
export interface AssetListRequest
  extends Omit<AssetQuery, 'words' | 'name' | 'sku' | 'folder' | 'tag'> {
  search?: string | undefined
  filename?: string | undefined
  sku?: string | undefined
  /** A folder, with or without a slash at its end. */
  path?: string | undefined
  /** A tag in any spelling. */
  tag?: string | undefined
}

export async function listAssets(
  { data }: AccountContext,
  request: AssetListRequest,
): Promise<{ assets: Asset[]; position: PagePosition }> {
  const query = assetQueryOf(request)
  const cursorOf = (asset: Asset) => cursorText(asset, query.sort.by)
  const { rows, position } = await readPage(query, data.listAssets, cursorOf)
  return { assets: rows, position }
}

export function assetQueryOf(request: AssetListRequest): AssetQuery {
  const { search = '', filename, sku, path, isDirect, tag, ...rest } = request
  const folder = path === undefined ? undefined : folderOfFilter(path)
  const words = searchWords(search)
  return {
    ...rest,
    ...(isDirect && { isDirect }),
    ...(words.length > 0 && { words }),
    ...(filename && { name: foldText(filename) }),
    ...(sku && { sku }),
    ...(folder !== undefined && { folder }),
    ...(tag?.trim() && { tag: foldTag(tag) }),
  }
}

interface LinkDetails {
  filename: string
  url: string
  /** Bytes, or a string such as 10MB. */
  size?: number | string | undefined
  path?: string | null | undefined
  tags?: string[] | undefined
}

/** A link is an asset like a file, but the service never fetches its URL. */
export async function storeLink(
  context: AccountContext,
  link: LinkDetails,
  idempotency?: Idempotency,
): Promise<{ asset: Asset; isRepeated: boolean }> {
  const bytes = parseLinkSize(link.size) ?? 0
  checkLinkFields(link)
  const createdAt = context.clock()
  const asset: Asset = {
    id: context.newId(),
    accountId: context.accountId,
    kind: 'link',
    status: 'ready',
    filename: link.filename,
    bytes,
    mime: UNKNOWN_MEDIA_TYPE,
    url: link.url,
    createdAt,
    updatedAt: createdAt,
    version: 1,
    integrity: NOT_VERIFIED,
    path: normalizePath(link.path),
    tags: normalizeTags(link.tags ?? []),
    isInline: false,
  }
  const { data } = context
  const { result, isRepeated } = await createOnce(
    context,
    { id: asset.id, idempotency },
    {
      hasSecret: false,
      add: () => data.addLink(asset),
      addOnce: (once) => data.addLinkOnce(once, asset),
      toResult(added) {
        if (added === 'too_many_tags') throw tooManyTags()
        if (added !== 'added') throw assetsExceeded('The link needs 1 asset', added)
        return asset
      },
      async find(id) {
        const found = await data.findAsset(id)
        return found?.status === 'ready' ? found : undefined
      },
    },
  )
  return { asset: result, isRepeated }
}

export interface AssetChanges {
  filename?: string | undefined
  url?: string | undefined
  size?: number | string | undefined
  /** Null or empty removes it. */
  path?: string | null | undefined
  /** All of its tags. */
  tags?: string[] | undefined
  /** Whether buyers may also open the file in the page of their order. */
  inline?: boolean | undefined
}

/** Renames an asset, or changes its path, its tags or `inline`. The URL and the size can only be changed for links. */
export async function changeAsset(
  context: AccountContext,
  assetId: string,
  changes: AssetChanges,
): Promise<Asset> {
  const { filename, url, size, path, tags, inline } = changes
  const bytes = parseLinkSize(size)
  const change = {
    ...(filename !== undefined && { filename }),
    ...(url !== undefined && { url }),
    ...(bytes !== undefined && { bytes }),
    ...(path !== undefined && { path: normalizePath(path) }),
    ...(tags !== undefined && { tags: normalizeTags(tags) }),
    ...(inline !== undefined && { isInline: inline }),
  }
  checkLinkFields({ ...change, path })
  const asset = await getAsset(context, assetId)
  if (asset.kind === 'file') refuseLinkFields({ url, size })
  else if (inline === true) throw invalid({ inline: ['can only be set for files'] })
  const changed = await context.data.changeAsset(assetId, change)
  if (changed === undefined) throw assetNotFound()
  if (changed === 'too_many_tags') throw tooManyTags()
  return changed
}

function refuseLinkFields(fields: { url: unknown; size: unknown }): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (given.length === 0) return
  throw invalid(
    Object.fromEntries(given.map(([field]) => [field, ['can only be changed for links']])),
  )
}

/** Refuses an invalid name, URL or path. */
function checkLinkFields(fields: {
  filename?: string
  url?: string
  path?: string | null | undefined
}): void {
  const problems = {
    filename: fields.filename === undefined ? undefined : problemWithFilename(fields.filename),
    url: fields.url === undefined ? undefined : problemWithLinkUrl(fields.url),
    path: fields.path == null ? undefined : problemWithPath(fields.path),
  }
  const errors = Object.entries(problems).flatMap(([field, problem]) =>
    problem === undefined ? [] : [[field, [problem]]],
  )
  if (errors.length > 0) throw invalid(Object.fromEntries(errors))
}

function parseLinkSize(size: number | string | undefined): number | undefined {
  if (typeof size !== 'string') return size
  const bytes = parseSize(size)
  if (bytes === undefined) {
    throw invalid({ size: ['must be a number of bytes, or a string such as 10MB or 1.5 GB'] })
  }
  return bytes
}

/** Attaches the asset to all selected products, or to none. Attaching a product again has no effect. */
export async function attachProducts(
  context: AccountContext,
  assetId: string,
  selection: ProductSelection,
): Promise<Asset> {
  checkAttachmentOutcome(await context.data.attachProducts(assetId, selection))
  return getAsset(context, assetId)
}

/** Detaches the asset from all selected products. Detaching a product that is not attached has no effect. */
export async function detachProducts(
  context: AccountContext,
  assetId: string,
  selection: ProductSelection,
): Promise<Asset> {
  checkAttachmentOutcome(await context.data.detachProducts(assetId, selection))
  return getAsset(context, assetId)
}

/** Attaches each of the assets to all selected products; all of them or none. */
export async function attachAssets(
  { dataOfCall }: AccountContext,
  ids: string[],
  selection: ProductSelection,
): Promise<void> {
  checkBulkOutcome(await dataOfCall().attachAssets(ids, selection))
}

/** Detaches each of the assets from all selected products; all of them or none. */
export async function detachAssets(
  { dataOfCall }: AccountContext,
  ids: string[],
  selection: ProductSelection,
): Promise<void> {
  checkBulkOutcome(await dataOfCall().detachAssets(ids, selection))
}

/** Refuses unknown products, and too many attachments. `field` selects the assets. */
export function checkBulkProducts(result: AssetsAttachmentOutcome, field = 'ids'): void {
  if (result.outcome === 'too_many_attachments') {
    throw invalid({
      [field]: [
        `would change ${result.count} attachments, but one call can change at most ${MAX_BULK_ATTACHMENTS}: choose fewer assets or fewer products`,
      ],
    })
  }
  if (result.outcome === 'products_not_found') throw unknownProducts(result.unknown)
}

function checkBulkOutcome(result: AssetsAttachmentOutcome): void {
  if (result.outcome === 'assets_not_found') throw unknownAssets(result.unknown)
  checkBulkProducts(result)
}

/** Refuses an unknown asset, or unknown products. */
function checkAttachmentOutcome(outcome: AttachmentOutcome): void {
  if (outcome.outcome === 'asset_not_found') throw assetNotFound()
  if (outcome.outcome === 'products_not_found') throw unknownProducts(outcome.unknown)
}

/** How many products one statement reads: a few milliseconds, even if each has many tags. */
const MAX_PRODUCTS_PER_STATEMENT = 100

/** An asset with all of its products, or with some of them if it has many. */
export interface ProductSlice {
  asset: Asset
  products: Product[]
  isFirst: boolean
  isLast: boolean
}

/**
 * Yields the assets with all of their products, in the given order. An asset with many products is
 * yielded several times in a row. One statement reads the products of as many assets as the limit allows.
 */
export async function* readProductsOfAssets(
  { data }: AccountContext,
  assets: Asset[],
): AsyncGenerator<ProductSlice[]> {
  for (let at = 0, size = assets.length; at < assets.length; ) {
    const batch = assets.slice(at, at + size)
    const [first] = batch
    if (first !== undefined && batch.length === 1) {
      let slices = 0
      for await (const slice of productsOfOne(data, first)) {
        slices += 1
        yield [slice]
      }
      at += 1
      size = slices === 1 ? 2 : 1
      continue
    }
    const ids = batch.map(({ id }) => id)
    const found = await data.productsOfAssets(ids, MAX_PRODUCTS_PER_STATEMENT)
    if (found === undefined) {
      size = Math.ceil(batch.length / 2)
      continue
    }
    const whole = { isFirst: true, isLast: true }
    yield batch.map((asset) => ({ asset, products: found.get(asset.id) ?? [], ...whole }))
    at += batch.length
    size = batch.length * (isHalfEmpty(found, MAX_PRODUCTS_PER_STATEMENT) ? 2 : 1)
  }
}

async function* productsOfOne(
  data: AccountContext['data'],
  asset: Asset,
): AsyncGenerator<ProductSlice> {
  let after: string | undefined
  do {
    const { products, next } = await data.productsOfAsset(asset.id, {
      after,
      limit: MAX_PRODUCTS_PER_STATEMENT,
    })
    yield { asset, products, isFirst: after === undefined, isLast: next === undefined }
    after = next
  } while (after !== undefined)
}
