import { ServiceError } from '../errors.ts'
import type { AccountContext } from './context.ts'
import { type ProductWithAssets, withAssets } from './list-products.ts'

export function productNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such product. Check its id.')
}

export async function getProduct(
  { data }: AccountContext,
  id: string,
  options: { withAssets: boolean },
): Promise<ProductWithAssets> {
  const product = await data.findProduct(id)
  if (product === undefined) throw productNotFound()
  if (!options.withAssets) return { product }
  const [found] = await withAssets(data, [product])
  return found ?? { product }
}

/** Its links go with it; the assets stay. */
export async function deleteProduct({ data }: AccountContext, id: string): Promise<void> {
  if (!(await data.deleteProduct(id))) throw productNotFound()
}
