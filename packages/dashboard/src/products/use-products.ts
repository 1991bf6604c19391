import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'
import { activeFilters, type ProductQuery } from './product-query.ts'

const PER_PAGE = 50

/** The previous page stays until the next one is loaded. */
export function useProductPage(query: ProductQuery) {
  const client = useClient()
  return useQuery({
    queryKey: ['products', query],
    queryFn({ signal }) {
      const filters = Object.fromEntries(activeFilters(query).map((name) => [name, query[name]]))
      const options = { ...filters, limit: PER_PAGE, with_assets: true, signal }
      return client.products(options).page(query.page)
    },
    placeholderData: keepPreviousData,
  })
}

export function useProduct(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['product', id],
    queryFn: ({ signal }) => client.product(id, { with_assets: true, signal }),
  })
}
