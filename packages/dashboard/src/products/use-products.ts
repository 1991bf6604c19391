import type { Product, ProductGroup } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { type ProductQuery, productFilters } from './product-query.ts'

const PER_PAGE = 50

/** The previous page stays until the next one is loaded. */
export function useProductPage(query: ProductQuery) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.productList(query),
    queryFn({ signal }) {
      const request = { ...productFilters(query), limit: PER_PAGE, signal }
      return client.productGroups(request).page(query.page)
    },
    placeholderData: keepPreviousData,
  })
}

export interface LoadedProduct {
  /** The variant in the URL. */
  variant: Product
  group: ProductGroup
}

/** The variant with this ID, and the product that it belongs to. */
export function useProduct(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.product(id),
    async queryFn({ signal }): Promise<LoadedProduct> {
      const variant = await client.product(id, { signal })
      const { product_id } = variant
      const { data } = await client.productGroups({ product_id, limit: 1, signal }).page()
      // The last variant of the product may have been deleted in between.
      const group = data[0] ?? { ...variant, variants: [variant], variants_total: 1 }
      return { variant, group }
    },
  })
}

const MAX_ASSETS = 100

/** The newest assets that are attached to any variant of the product. */
export function useProductAssets(productId: number) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.assetsOfProduct(productId),
    queryFn: ({ signal }) =>
      client
        .assets({
          product_id: productId,
          with_products: true,
          exact_total: true,
          limit: MAX_ASSETS,
          signal,
        })
        .page(),
  })
}
