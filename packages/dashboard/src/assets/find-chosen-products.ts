import type { Client, Product, ProductReferences } from '@stowage/client'

const PAGE = 1000

/** The products that the references stand for. The ID of a product in the shop means all of its variants. */
export async function findChosenProducts(
  client: Client,
  { products: ids = [], product_ids: productIds = [] }: ProductReferences,
): Promise<Product[]> {
  const found = new Map<string, Product>()
  for (const id of ids) found.set(id, await client.product(id))
  for (const product_id of productIds) {
    for await (const variant of client.products({ product_id, limit: PAGE })) {
      found.set(variant.id, variant)
    }
  }
  return [...found.values()]
}
