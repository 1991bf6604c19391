import type { ProductSelection } from '../../domain/product.ts'
import { invalid, type ServiceError } from '../../errors.ts'

/** Each field lists all of its unknown values. `parent` is the field that has the selection, such as `attach.`. */
export function unknownProducts(unknown: ProductSelection, parent = ''): ServiceError {
  const { productIds, variantIds, ids: products, skus } = unknown
  const errors = Object.entries({ productIds, variantIds, products, skus })
    .filter(([, values]) => values.length > 0)
    .map(([field, values]) => [
      parent + field,
      [`contains unknown values: ${[...new Set<string | number>(values)].join(', ')}`],
    ])
  return invalid(Object.fromEntries(errors))
}
