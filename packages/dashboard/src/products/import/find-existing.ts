import type { Client, Product } from '@stowage/client'
import type { LocatedProduct } from '@stowage/client/products-file'
import pLimit from 'p-limit'

const PAGE_SIZE = 1000
const MAX_REQUESTS = 6

/**
 * Returns at least the stored products that the file may change. Loads the products with the IDs in the file, or all
 * products of the account, whichever takes fewer requests.
 */
export async function findExisting(
  client: Client,
  products: LocatedProduct[],
  signal: AbortSignal,
): Promise<Product[]> {
  const limit = pLimit(MAX_REQUESTS)
  const loadPage = (number: number) => client.products({ limit: PAGE_SIZE, signal }).page(number)
  const first = await loadPage(1)
  const ids = [...new Set(products.map(({ details }) => details.product_id))]
  if (first.meta.last_page <= ids.length) {
    const others = Array.from({ length: first.meta.last_page - 1 }, (_, index) => index + 2)
    const pages = await limit.map(others, loadPage)
    return [first, ...pages].flatMap(({ data }) => data)
  }
  const found: Product[] = []
  await limit.map(ids, async (product_id) => {
    const variants = client.products({ product_id, limit: PAGE_SIZE, signal })
    for await (const variant of variants) found.push(variant)
  })
  return found
}
