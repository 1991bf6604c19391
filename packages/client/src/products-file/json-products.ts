import type { Collector } from './collector.ts'
import { NO_VARIANTS } from './csv-products.ts'

type Entry = Record<string, unknown>

/**
 * Reads a list of products as `PUT /products` takes it or `GET /products` returns it, or Shopify's
 * `products.json`, where each product has a list of variants.
 */
export function collectJsonProducts(text: string, collect: Collector): void {
  for (const [index, entry] of readList(text, collect).entries()) {
    const position = index + 1
    if (!isEntry(entry)) collect.refuse(position, 'The entry is not a product.')
    else if (Array.isArray(entry.variants))
      collectVariants(position, entry, entry.variants, collect)
    else collect.add(position, pick(entry))
  }
}

function readList(text: string, collect: Collector): unknown[] {
  try {
    const list = listIn(JSON.parse(text))
    if (list !== undefined) return list
    collect.refuse(
      1,
      'The file contains no list of products: expected [ … ] or {"products": [ … ]}.',
    )
  } catch (error) {
    collect.refuse(1, `Invalid JSON: ${(error as Error).message}.`)
  }
  return []
}

function listIn(content: unknown): unknown[] | undefined {
  const found = isEntry(content) ? (content.products ?? content.data) : content
  if (Array.isArray(found)) return found
  // A single product, as `GET /products/:id` returns it.
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
  position: number,
  product: Entry,
  variants: unknown[],
  collect: Collector,
): void {
  for (const variant of variants) {
    if (!isEntry(variant)) {
      collect.refuse(position, 'A variant of the product is not an object.')
      continue
    }
    collect.add(position, {
      product_id: product.id,
      variant_id: variant.id,
      name: product.title,
      variant_name: variant.title === NO_VARIANTS ? '' : variant.title,
      sku: variant.sku,
      vendor: product.vendor,
      tags: product.tags,
    })
  }
}
