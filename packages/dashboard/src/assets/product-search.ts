import type { Client, Product, ProductGroup } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { firstWords } from '../components/url-query.ts'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import {
  hasWords,
  isFoundByProduct,
  MAX_SHOWN_VARIANTS,
  shownVariantsOf,
} from './product-choices.ts'

const MAX_PRODUCTS = 15
/** The maximum number of products for which a separate request searches the variants that the response lacks. */
const MAX_SEARCHED = 3

export interface FoundProduct {
  group: ProductGroup
  /** The variants that the list shows. */
  shown: readonly Product[]
  /** The shown variants that match the search. Empty if the name and vendor of the product already match it. */
  named: readonly Product[]
}

/** Searches the service, because a shop has too many products to list. */
export function useFoundProducts(search: string, isEnabled: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.productSearch(search),
    queryFn: ({ signal }) => findProducts(client, search, signal),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

async function findProducts(
  client: Client,
  search: string,
  signal: AbortSignal,
): Promise<FoundProduct[]> {
  const words = search !== '' && { search: firstWords(search) }
  const { data } = await client.productGroups({ ...words, limit: MAX_PRODUCTS, signal }).page()
  const large = data
    .filter((group) => group.variants.length < group.variants_total)
    .filter((group) => !isFoundByProduct(group, search))
    .slice(0, MAX_SEARCHED)
  return Promise.all(
    data.map(async (group) => {
      if (!large.includes(group)) return foundProduct(group, shownVariantsOf(group, search), search)
      const query = { productId: group.product_id, search, limit: MAX_SHOWN_VARIANTS, signal }
      return foundProduct(group, (await findVariants(client, query)).variants, search)
    }),
  )
}

function foundProduct(
  group: ProductGroup,
  shown: readonly Product[],
  search: string,
): FoundProduct {
  const isNamed = (variant: Product) =>
    !isFoundByProduct(group, search) && hasWords(variant, search)
  return { group, shown, named: shown.filter(isNamed) }
}

/** The service returns at most this many variants in one page. Users find the others by searching. */
const MAX_VARIANTS = 1000

interface Variants {
  variants: readonly Product[]
  /** The number of variants that match the search; higher than `variants.length` if one page cannot hold them all. */
  total: number
}

/** The variants of a product that match the search, by `variant_id`. `data` is undefined until they are loaded. */
export function useVariants(group: ProductGroup | undefined, search: string) {
  const client = useClient()
  const isComplete = group !== undefined && group.variants.length === group.variants_total
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.variants(group?.product_id, search),
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

interface VariantSearch {
  productId: number
  search: string
  limit?: number
  signal: AbortSignal
}

/** Asks the service, because a product lists only its first variants. */
async function findVariants(client: Client, query: VariantSearch): Promise<Variants> {
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
