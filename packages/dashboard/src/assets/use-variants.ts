import type { Client, Product, ProductGroup } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { firstWords } from '../components/url-query.ts'
import { useClient } from '../session/session.tsx'
import { hasWords } from './has-words.ts'

/** The service returns at most this many variants in one page. Users find the others by searching. */
const MAX_VARIANTS = 1000

export interface Variants {
  variants: readonly Product[]
  /** The number of variants that match the search; higher than `variants.length` if one page cannot hold them all. */
  total: number
}

/** The variants of a product that match the search, by `variant_id`. `data` is undefined until they are loaded. */
export function useVariants(group: ProductGroup | undefined, search: string) {
  const client = useClient()
  const isComplete = group !== undefined && group.variants.length === group.variants_total
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['products', 'variants', group?.product_id, search],
    queryFn: ({ signal }) =>
      findVariants(client, { productId: group?.product_id ?? 0, search, signal }),
    enabled: group !== undefined && !isComplete,
    // The variants of the previous search stay until the next ones are loaded, but not those of another product.
    placeholderData: (previous, query) =>
      query?.queryKey[2] === group?.product_id ? keepPreviousData(previous) : undefined,
  })
  const query = { error, isFetching, refetch: () => void refetch() }
  if (!isComplete) return { data, ...query }
  const variants = group.variants.filter((variant) => hasWords(variant, search))
  return { data: { variants, total: variants.length }, ...query }
}

interface Search {
  productId: number
  search: string
  limit?: number
  signal: AbortSignal
}

/** Asks the service, because a product lists only its first variants. */
export async function findVariants(client: Client, query: Search): Promise<Variants> {
  const { productId, search, limit = MAX_VARIANTS, signal } = query
  const { data, meta } = await client
    .products({
      product_id: productId,
      ...(search !== '' && { search: firstWords(search) }),
      limit,
      signal,
    })
    .page()
  return { variants: data.toSorted((a, b) => a.variant_id - b.variant_id), total: meta.total }
}
