import {
  MAX_COUNTED_ATTACHMENTS,
  MAX_NESTED_ASSETS,
  MAX_NESTED_VARIANTS,
  MAX_ORDERED_FILES,
  MAX_PRODUCT_CHARACTERS,
  MAX_TAGS,
} from '@stowage/protocol'
import type { ProductGroupQuery, ProductQuery } from '../database/account-data.ts'
import type { Asset } from '../domain/asset.ts'
import { invalid } from '../domain/errors.ts'
import {
  type Cursor,
  cursorText,
  type PagePosition,
  type PageRequest,
  pagePosition,
  positionAfterCursor,
} from '../domain/paging.ts'
import type { GivenProduct, Product, ProductGroup } from '../domain/product.ts'
import {
  LAST_PRODUCT_ID,
  NEWEST_PRODUCTS,
  positionText,
  productPosition,
} from '../domain/product-sort.ts'
import { foldText, searchWords } from '../domain/search.ts'
import { listAssets } from './assets.ts'
import type { AccountContext } from './context.ts'
import { isHalfEmpty, readPage } from './listing.ts'
import { productNotFound } from './refusals.ts'

export async function getProduct({ data }: AccountContext, id: string): Promise<Product> {
  const product = await data.findProduct(id)
  if (product === undefined) throw productNotFound()
  return product
}

export type ProductListRequest = Omit<ProductQuery, keyof TextFilters | 'words'> & TextFilters

export async function listProducts(
  { data }: AccountContext,
  request: ProductListRequest,
): Promise<{ products: Product[]; position: PagePosition }> {
  const { rest, filters } = splitFilters(request)
  const query: ProductQuery = { ...rest, ...filters }
  const { by } = query.sort ?? NEWEST_PRODUCTS
  const cursorOf = (product: Product) => positionText(productPosition(product, by))
  const { rows, position } = await readPage(query, data.listProducts, cursorOf)
  return { products: rows, position }
}

export type ProductGroupListRequest = Omit<ProductGroupQuery, keyof TextFilters | 'words'> &
  TextFilters

/** How many products one statement reads with their variants. */
const GROUPS_PER_STATEMENT = 25

/**
 * Lists the products of the shop, by default by descending product ID. Their variants are read as `groups` is iterated, some products at a
 * time.
 */
export async function listProductGroups(
  { data }: AccountContext,
  request: ProductGroupListRequest,
): Promise<{ groups: AsyncGenerator<ProductGroup[]>; position: PagePosition }> {
  const { rest, filters } = splitFilters(request)
  const query: ProductGroupQuery = { sort: LAST_PRODUCT_ID, ...rest, ...filters }
  const { after, perPage, ofAsset } = query
  // One more row shows whether another page follows.
  const more = after === undefined ? 0 : 1
  const { rows: found, total } = await data.listProductIds({ ...query, perPage: perPage + more })
  const rows = found.slice(0, perPage)
  const plain = pagePosition(query, total)
  const hasNext = after === undefined ? plain.next !== undefined : found.length > rows.length
  const last = hasNext ? rows.at(-1) : undefined
  const nextAfter = last && positionText(last.position ?? [last.productId])

  async function* readGroups(): AsyncGenerator<ProductGroup[]> {
    for (let at = 0; at < rows.length; at += GROUPS_PER_STATEMENT) {
      const some = new Map(
        rows
          .slice(at, at + GROUPS_PER_STATEMENT)
          .map(({ productId, matching }) => [productId, matching]),
      )
      const groups = await data.readProductGroups([...some.keys()], {
        variants: MAX_NESTED_VARIANTS,
        attachments: MAX_COUNTED_ATTACHMENTS,
        ofAsset,
      })
      yield groups.map((group) => {
        const matching = some.get(group.productId) ?? 0
        return ofAsset === undefined
          ? { ...group, matchingTotal: matching }
          : { ...group, attachedTotal: matching }
      })
    }
  }

  return {
    groups: readGroups(),
    position:
      after === undefined
        ? { ...plain, nextAfter }
        : positionAfterCursor(query, { total, nextAfter }),
  }
}

type TextFilter = 'search' | 'name' | 'sku' | 'vendor' | 'tag'

/** The filters of a list of products as the client sends them. An empty filter means no filter. */
type TextFilters = Partial<Record<TextFilter, string | undefined>>

/** Separates the text filters of a request from its other members. Folds all but the SKU, which must match exactly. */
function splitFilters<Request extends TextFilters>(request: Request) {
  const { search = '', name, sku, vendor, tag, ...rest } = request
  const words = searchWords(search)
  const filters: Pick<ProductQuery, 'words' | Exclude<TextFilter, 'search'>> = {
    ...(words.length > 0 && { words }),
    ...(name && { name: foldText(name) }),
    ...(sku && { sku }),
    ...(vendor && { vendor: foldText(vendor) }),
    ...(tag && { tag: foldText(tag) }),
  }
  return { rest, filters }
}

export type ProductDetails = Omit<GivenProduct, 'id'>

/**
 * Inserts or updates the products, keyed by product and variant ID, or by SKU and handle: all of them or none. A missing
 * field keeps its stored value.
 */
export async function putProducts(
  context: AccountContext,
  products: ProductDetails[],
): Promise<Product[]> {
  checkTotals(products)
  checkProducts(products)
  const { dataOfCall, newId } = context
  return dataOfCall().putProducts(products.map((product) => ({ id: newId(), ...product })))
}

/** Limits all products together, because the work grows with their tags and characters. */
function checkTotals(products: ProductDetails[]): void {
  let tags = 0
  let characters = 0
  for (const product of products) {
    const { name, variantName = '', sku = '', vendor = '', tags: ownTags = [] } = product
    tags += ownTags.length
    for (const text of [name, variantName, sku, vendor, ...ownTags]) characters += text.length
  }
  const problems = [
    ...problemWithTotal(tags, MAX_TAGS, 'tags'),
    ...problemWithTotal(characters, MAX_PRODUCT_CHARACTERS, 'characters'),
  ]
  if (problems.length > 0) throw invalid({ products: problems })
}

function problemWithTotal(count: number, limit: number, unit: string): string[] {
  if (count <= limit) return []
  return [`have ${count} ${unit} in total; send at most ${limit} in one call`]
}

function checkProducts(products: ProductDetails[]): void {
  const errors: Record<string, string[]> = {}
  const seen = new Map<string, number>()
  for (const [index, product] of products.entries()) {
    const { productId, variantId, handle, variantName = '', name } = product
    const missing = handle === undefined ? 'is required, unless handle is given' : undefined
    if (productId === undefined && (missing ?? variantId) !== undefined) {
      errors[`products.${index}.product_id`] = [missing ?? 'is required with variant_id']
    }
    if (variantId === undefined && (missing ?? productId) !== undefined) {
      errors[`products.${index}.variant_id`] = [missing ?? 'is required with product_id']
    }
    const own = productId === undefined ? [handle, variantName] : [productId, variantId]
    const key = JSON.stringify(own)
    const earlier = seen.get(key)
    if (earlier !== undefined && errors[`products.${index}.product_id`] === undefined) {
      errors[`products.${index}`] = [`is the same product and variant as products.${earlier}`]
    }
    seen.set(key, index)
    if (name.trim() === '') errors[`products.${index}.name`] = ['must not be empty']
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

export interface FileListRequest extends PageRequest {
  after?: Cursor | undefined
  /** Also those that are attached only to other variants of the product. */
  allVariants?: boolean | undefined
}

/**
 * The ready assets of a product in the order that the merchant has set, and then the others, the oldest first. A product with
 * more than `MAX_ORDERED_FILES` assets is listed without that order.
 */
export async function listAssetsOfProduct(
  context: AccountContext,
  { id, productId }: Product,
  { page, perPage, after, allVariants = false }: FileListRequest,
): Promise<{ assets: Asset[]; position: PagePosition }> {
  const { data } = context
  const order = await data.readFileOrder(productId)
  const sort = { by: 'created_at', descending: false } as const
  const filter = { sort, ...(allVariants ? { productId } : { ofProduct: id }), exactTotal: true }
  const all =
    order.length === 0
      ? undefined
      : await data.listAssets({ page: 1, perPage: MAX_ORDERED_FILES, ...filter })
  if (all === undefined || all.total > MAX_ORDERED_FILES) {
    return listAssets(context, { page, perPage, ...filter, ...(after && { after }) })
  }
  const positions = new Map(order.map((asset, index) => [asset, index]))
  const rankOf = (asset: Asset) => positions.get(asset.id) ?? MAX_ORDERED_FILES
  const sorted = all.rows.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1))
  const read = async ({
    page: number,
    perPage: size,
    after: cursor,
  }: PageRequest & { after?: Cursor }) => {
    const start =
      cursor === undefined
        ? (number - 1) * size
        : sorted.findIndex((asset) => asset.id === cursor.id) + 1
    return { rows: sorted.slice(start, start + size), total: sorted.length }
  }
  const cursorOf = (asset: Asset) => cursorText(asset, 'created_at')
  const query = { page, perPage, ...(after && { after }) }
  const { rows, position } = await readPage(query, read, cursorOf)
  return { assets: rows, position }
}

/** Sets the order of the files of a product and of its other variants. */
export async function arrangeFiles(
  { data }: AccountContext,
  { productId }: Product,
  assetIds: string[],
): Promise<void> {
  if (new Set(assetIds).size < assetIds.length) {
    throw invalid({ assets: ['must name each asset once'] })
  }
  const result = await data.arrangeFiles(productId, assetIds)
  if (result.outcome === 'done') return
  throw invalid({
    assets: [`contains assets that are not attached to the product: ${result.unknown.join(', ')}`],
  })
}

/** Deletes the product and detaches its assets, which are kept. */
export async function deleteProduct({ data }: AccountContext, id: string): Promise<void> {
  if (!(await data.deleteProduct(id))) throw productNotFound()
}

export interface ProductWithAssets {
  product: Product
  /** The newest assets of the product. */
  assets: Asset[]
  /** How many assets the product has. */
  total: number
}

export async function withNewestAssets(
  { data }: AccountContext,
  product: Product,
): Promise<ProductWithAssets> {
  return { product, ...(await data.newestAssetsOf(product.id, MAX_NESTED_ASSETS)) }
}

/** How many assets one statement reads: this takes a few milliseconds. */
const MAX_ASSETS_PER_STATEMENT = 500

/**
 * Yields the products with the newest assets of each, in the given order. One statement reads the
 * assets of as many products as the limit allows.
 */
export async function* readAssetsOfProducts(
  context: AccountContext,
  products: Product[],
): AsyncGenerator<ProductWithAssets[]> {
  for (let at = 0, size = products.length; at < products.length; ) {
    const batch = products.slice(at, at + size)
    const [first] = batch
    if (first !== undefined && batch.length === 1) {
      const one = await withNewestAssets(context, first)
      yield [one]
      at += 1
      size = one.total < MAX_ASSETS_PER_STATEMENT ? 2 : 1
      continue
    }
    const ids = batch.map(({ id }) => id)
    const found = await context.data.assetsOfProducts(ids, MAX_ASSETS_PER_STATEMENT)
    if (found === undefined) {
      size = Math.ceil(batch.length / 2)
      continue
    }
    yield batch.map((product) => {
      const assets = found.get(product.id) ?? []
      return { product, assets: assets.slice(0, MAX_NESTED_ASSETS), total: assets.length }
    })
    at += batch.length
    size = batch.length * (isHalfEmpty(found, MAX_ASSETS_PER_STATEMENT) ? 2 : 1)
  }
}
