import type { Product } from '../../domain/product.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

export function productNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such product. Check its id.')
}

export async function getProduct({ data }: AccountContext, id: string): Promise<Product> {
  const product = await data.findProduct(id)
  if (product === undefined) throw productNotFound()
  return product
}

/** Its links go with it; the assets stay. */
export async function deleteProduct({ data }: AccountContext, id: string): Promise<void> {
  if (!(await data.deleteProduct(id))) throw productNotFound()
}
