import type { LocatedProduct } from './parse-products-file.ts'

/** The limit of the service for one call. */
const MAX_PRODUCTS = 1000
/** The limit of the service for the tags of all products in one call. */
const MAX_TAGS = 25_000
/** The service accepts 8 MiB, and a character of JSON takes up to 3 bytes. */
const MAX_CHARACTERS = 1_000_000

/** Splits the products, in order, into lists that each fit into one call of `putProducts`. */
export function batchProducts<Item extends LocatedProduct>(products: Item[]): Item[][] {
  const batches: Item[][] = []
  let characters = 0
  let tags = 0
  for (const product of products) {
    const length = JSON.stringify(product.details).length
    const tagged = product.details.tags?.length ?? 0
    const batch = batches.at(-1)
    characters += length
    tags += tagged
    if (batch && batch.length < MAX_PRODUCTS && characters <= MAX_CHARACTERS && tags <= MAX_TAGS) {
      batch.push(product)
    } else {
      batches.push([product])
      characters = length
      tags = tagged
    }
  }
  return batches
}
