import {
  type Asset,
  type AssetPage,
  isStowageError,
  type Product,
  type ProductGroup,
} from '@stowage/client'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
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

/** The assets that are attached to any variant of the product, in the order in which buyers see them. */
export function useProductAssets(productId: number, variantId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.assetsOfProduct(productId),
    queryFn: ({ signal }) =>
      client
        .assetsOf(variantId, {
          all_variants: true,
          with_products: true,
          limit: MAX_ASSETS,
          signal,
        })
        .page(),
    // A variant may have been deleted since the page was opened.
    retry: (count, error) => count < 3 && !isStowageError(error, 'not_found'),
  })
}

/** Changes the order of the files for buyers. The list shows it at once. */
export function useFileOrder(productId: number, variantId: string) {
  const client = useClient()
  const queries = useQueryClient()
  const queryKey = queryKeys.assetsOfProduct(productId)
  return useMutation({
    mutationFn: (assets: readonly Asset[]) =>
      client.arrangeFiles(
        variantId,
        assets.map(({ id }) => id),
      ),
    onMutate(assets) {
      queries.setQueryData<AssetPage>(queryKey, (page) => page && { ...page, data: [...assets] })
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}
