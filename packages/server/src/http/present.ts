import type * as wire from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { Asset } from '../domain/asset.ts'
import type { PagePosition } from '../domain/paging.ts'
import type { Product } from '../domain/product.ts'
import type { ProductWithAssets } from '../operations/products/read-assets-of-products.ts'

export function presentAsset(asset: Asset): wire.Asset {
  return {
    id: asset.id,
    filename: asset.filename,
    size: formatSize(asset.bytes),
    is_file: asset.kind === 'file',
    is_link: asset.kind === 'link',
    url: asset.url,
    status: asset.status === 'ready' ? 'ready' : 'uploading',
    bytes: asset.bytes,
    mime: asset.mime,
    created_at: formatTimestamp(asset.createdAt),
  }
}

export function presentProduct(product: Product): wire.Product {
  return {
    id: product.id,
    name: product.name,
    variant_name: product.variantName,
    sku: product.sku,
    product_id: product.productId,
    variant_id: product.variantId,
    vendor: product.vendor,
    tags: product.tags,
  }
}

export function presentProductWithAssets({
  product,
  assets,
  total,
}: ProductWithAssets): wire.ProductWithAssets {
  return {
    ...presentProduct(product),
    assets: assets.map(presentAsset),
    assets_total: total,
  }
}

/**
 * `url` is the caller's own address: every link keeps its other parameters. Who came by a cursor goes
 * on by one.
 */
export function presentPage(
  position: PagePosition,
  { base, url }: { base: string; url: string },
): { links: wire.PageLinks; meta: wire.PageMeta } {
  const { pathname, searchParams } = new URL(url, base)
  const path = base + pathname
  const urlOf = pageAddresses(path, searchParams)
  const orNull = (page: number | undefined) => (page === undefined ? null : urlOf(page))
  const next = searchParams.has('after')
    ? nextBehind(path, searchParams, position.nextAfter)
    : orNull(position.next)
  return {
    links: {
      first: urlOf(1),
      last: urlOf(position.lastPage),
      prev: orNull(position.previous),
      next,
    },
    meta: {
      current_page: position.page,
      from: position.from,
      to: position.to,
      last_page: position.lastPage,
      per_page: position.perPage,
      total: position.total,
      path,
      links: [
        { url: orNull(position.previous), label: '« Previous', active: false },
        ...position.window.map((page) => ({
          url: urlOf(page),
          label: String(page),
          active: page === position.page,
        })),
        { url: next, label: 'Next »', active: false },
      ],
      next_after: position.nextAfter ?? null,
    },
  }
}

function nextBehind(path: string, query: URLSearchParams, after: string | undefined) {
  if (after === undefined) return null
  const parameters = new URLSearchParams(query)
  parameters.set('after', after)
  return `${path}?${parameters}`
}

/** All of them differ in one number only, which stays where the caller has it. */
function pageAddresses(path: string, query: URLSearchParams): (page: number) => string {
  const pairs = [...query].filter(([name]) => name !== 'after')
  const names = pairs.map(([name]) => name)
  const at = names.includes('page') ? names.indexOf('page') : pairs.length
  const before = new URLSearchParams(pairs.slice(0, at))
  const behind = new URLSearchParams(pairs.slice(at + 1))
  const head = `${path}?${before.size > 0 ? `${before}&` : ''}page=`
  const tail = behind.size > 0 ? `&${behind}` : ''
  return (page) => head + page + tail
}
