import type { Client, Product } from '@stowage/client'
import type { LocatedProduct } from '@stowage/client/products-file'

const MOST_PER_PAGE = 1000
const AT_ONCE = 6

/** The products that the file may change. Asks for each by its id, or reads them all: what is less. */
export async function findExisting(
  client: Client,
  products: LocatedProduct[],
  signal: AbortSignal,
): Promise<Product[]> {
  const page = (number: number) => client.products({ limit: MOST_PER_PAGE, signal }).page(number)
  const first = await page(1)
  const ids = [...new Set(products.map(({ details }) => details.product_id))]
  if (first.meta.last_page <= ids.length) {
    const others = Array.from({ length: first.meta.last_page - 1 }, (_, index) => index + 2)
    const pages = await atOnce(others, page)
    return [first, ...pages].flatMap(({ data }) => data)
  }
  const found: Product[] = []
  await atOnce(ids, async (product_id) => {
    const variants = client.products({ product_id, limit: MOST_PER_PAGE, signal })
    for await (const variant of variants) found.push(variant)
  })
  return found
}

/** In the order of what is asked for. */
async function atOnce<Item, Result>(
  items: Item[],
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const work = async () => {
    for (const [index, item] of queue) results[index] = await ask(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}
