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

export function useAssetDownloads(id: string, page: number) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.assetDownloads(id, page),
    queryFn: ({ signal }) => client.assetDownloads(id, { limit: LOG_PER_PAGE, signal }).page(page),
    placeholderData: keepPreviousData,
  })
}

interface TotalsQuery {
  /** How many days until today. */
  days: number
  by?: 'day' | 'asset'
  /** Only the downloads of this asset. */
  asset?: string
}

const DAY_MS = 24 * 60 * 60 * 1000

export function useDownloadTotals(query: TotalsQuery) {
  const client = useClient()
  const { days, ...others } = query
  return useQuery({
    queryKey: queryKeys.downloadTotals(query),
    queryFn({ signal }) {
      const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
      return client.downloadTotals({ from, ...others, signal })
    },
    placeholderData: keepPreviousData,
  })
}

/** A change of an order. A message shows its failure, with this title. */
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
