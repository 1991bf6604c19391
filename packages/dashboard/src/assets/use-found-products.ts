import type { Client, Product, ProductGroup } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { firstWords } from '../components/url-query.ts'
import { useClient } from '../session/session.tsx'
import { hasWords } from './has-words.ts'
import { isFoundByProduct, MAX_SHOWN_VARIANTS, shownVariantsOf } from './product-choices.ts'
import { findVariants } from './use-variants.ts'

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
    queryKey: ['products', 'search', search],
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
