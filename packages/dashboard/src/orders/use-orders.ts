import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { type OrderQuery, orderFilters } from './order-query.ts'

const PER_PAGE = 50

/** The previous page stays until the next one is loaded. */
export function useOrderPage(query: OrderQuery) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.orderList(query),
    queryFn: ({ signal }) =>
      client.orders({ ...orderFilters(query), limit: PER_PAGE, signal }).page(query.page),
    placeholderData: keepPreviousData,
  })
}
