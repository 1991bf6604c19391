import type { Order } from '@stowage/client'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
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

export function useOrder(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.order(id),
    queryFn: ({ signal }) => client.order(id, { signal }),
  })
}

/** What the order covers now. */
export function useOrderFiles(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.orderFiles(id),
    queryFn: ({ signal }) => client.orderFiles(id, { signal }),
  })
}

const LOG_PER_PAGE = 25

export function useOrderDownloads(id: string, page: number) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.orderDownloads(id, page),
    queryFn: ({ signal }) => client.orderDownloads(id, { limit: LOG_PER_PAGE, signal }).page(page),
    placeholderData: keepPreviousData,
  })
}

/** A change of an order. Without `onError`, a message shows its failure, with this title. */
export function useOrderAction<Input, Result = unknown>(
  errorTitle: string,
  action: (input: Input) => Promise<Result>,
  onDone?: (result: Result) => void,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: action,
    onError: (error) => notify({ isError: true, title: errorTitle, message: errorText(error) }),
    onSuccess(result) {
      onDone?.(result)
      return queries.invalidateQueries(changedBy('order.updated'))
    },
  })
}

/** A change whose dialog shows its failure. */
export function useOrderForm<Result>(save: () => Promise<Result>, onDone: (saved: Result) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: save,
    onSuccess(saved) {
      onDone(saved)
      return queries.invalidateQueries(changedBy('order.updated'))
    },
  })
}

export const canChange = ({ status }: Order) => status !== 'revoked'
