import type { AccountContext } from '../context.ts'
import { productNotFound } from './product-not-found.ts'

/** Deletes the product and detaches its assets, which are kept. */
export async function deleteProduct({ data }: AccountContext, id: string): Promise<void> {
  if (!(await data.deleteProduct(id))) throw productNotFound()
}
