import type { LocatedProduct } from './parse-products-file.ts'

/** The service takes so many in one call, */
const MOST_PRODUCTS = 1000
/** with so many tags together, */
const MOST_TAGS = 25_000
/** and bodies of up to 8 MB, of which letters take up to 3 bytes, or 6 where JSON escapes them. */
const MOST_LETTERS = 1_000_000

/** Cuts the products, in their order, into lists that each fit into one call of `putProducts`. */
export function batchProducts<Item extends LocatedProduct>(products: Item[]): Item[][] {
  const batches: Item[][] = []
  let letters = 0
  let tags = 0
  for (const product of products) {
    const length = JSON.stringify(product.details).length
    const tagged = product.details.tags?.length ?? 0
    const batch = batches.at(-1)
    letters += length
    tags += tagged
    if (batch && batch.length < MOST_PRODUCTS && letters <= MOST_LETTERS && tags <= MOST_TAGS) {
      batch.push(product)
    } else {
      batches.push([product])
      letters = length
      tags = tagged
    }
  }
  return batches
}
