import type { Product } from '../../domain/product.ts'
import type { AccountContext } from '../context.ts'
import { productNotFound } from './product-not-found.ts'

export async function getProduct({ data }: AccountContext, id: string): Promise<Product> {
  const product = await data.findProduct(id)
  if (product === undefined) throw productNotFound()
  return product
}
