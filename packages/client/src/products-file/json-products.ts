import { NO_VARIANTS } from './csv-products.ts'
import type { Collector } from './parse-products-file.ts'

type Entry = Record<string, unknown>

/**
 * Our own: a list of products as `PUT /products` takes them, or as a listing answers them. Or
 * Shopify's `products.json`, where each product has a list of its variants.
 */
export function collectJsonProducts(text: string, collect: Collector): void {
  for (const [index, entry] of readList(text, collect).entries()) {
    const place = index + 1
    if (!isEntry(entry)) collect.refuse(place, 'must be a product')
    else if (Array.isArray(entry.variants)) collectVariants(place, entry, entry.variants, collect)
    else collect.add(place, pick(entry))
  }
}

function readList(text: string, collect: Collector): unknown[] {
  try {
    const list = listIn(JSON.parse(text))
    if (list !== undefined) return list
    collect.refuse(1, 'There is no list of products: neither [ … ] nor {"products": [ … ]}.')
  } catch (error) {
    collect.refuse(1, `This is not JSON: ${(error as Error).message}.`)
  }
  return []
}

function listIn(content: unknown): unknown[] | undefined {
  const found = isEntry(content) ? (content.products ?? content.data) : content
  if (Array.isArray(found)) return found
  // One product by itself, as `GET /products/:id` answers it.
  return isEntry(found) ? [found] : undefined
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pick(entry: Entry) {
  const { product_id, variant_id, name, variant_name, sku, vendor, tags } = entry
  return { product_id, variant_id, name, variant_name, sku, vendor, tags }
}

function collectVariants(
  place: number,
  product: Entry,
  variants: unknown[],
  collect: Collector,
): void {
  for (const variant of variants) {
    if (!isEntry(variant)) {
      collect.refuse(place, 'must have a list of variants')
      continue
    }
    collect.add(place, {
      product_id: product.id,
      variant_id: variant.id,
      name: product.title,
      variant_name: variant.title === NO_VARIANTS ? '' : variant.title,
      sku: variant.sku ?? '',
      vendor: product.vendor ?? '',
      tags: product.tags ?? [],
    })
  }
}
