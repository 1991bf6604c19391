import type { Order } from '@stowage/client'
import { firstWords, readPage, readText } from '../components/url-query.ts'

/** The search, the filter, the order and the page of the list of orders, as in the URL. */
export interface OrderQuery {
  search: string
  status: Order['status'] | ''
  sort: Sort
  page: number
}

export const STATUSES = ['active', 'held', 'expired', 'revoked'] as const
export const SORTS = [
  '-created_at',
  'created_at',
  '-ordered_at',
  'ordered_at',
  'order_number',
  '-order_number',
] as const
export type Sort = (typeof SORTS)[number]
export type SortField = 'ordered_at' | 'order_number'

export const NO_FILTERS = { search: '', status: '' } as const
const DEFAULTS: OrderQuery = { ...NO_FILTERS, sort: '-created_at', page: 1 }

/** Missing and invalid parameters get their defaults. */
export function readOrderQuery(search: string): OrderQuery {
  const params = new URLSearchParams(search)
  return {
    search: readText(params, 'search'),
    status: STATUSES.find((status) => status === params.get('status')) ?? '',
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? DEFAULTS.sort,
    page: readPage(params),
  }
}

/** The URL contains only parameters that differ from their defaults. */
export function ordersUrl(query: Partial<OrderQuery>): string {
  const params = Object.entries(query)
    .filter(([name, value]) => value !== DEFAULTS[name as keyof OrderQuery])
    .map(([name, value]) => [name, String(value)])
  return params.length === 0 ? '/orders' : `/orders?${new URLSearchParams(params)}`
}

/** The query as parameters of the API, without the page. */
export function orderFilters({ search, status, sort }: OrderQuery) {
  return {
    ...(search !== '' && { search: firstWords(search) }),
    ...(status !== '' && { status }),
    sort,
  }
}

/** The order that people look for first, then the opposite, and then the order as before. */
export function nextSort(current: Sort, field: SortField): Sort {
  const first: Sort = field === 'ordered_at' ? '-ordered_at' : field
  const second: Sort = field === 'ordered_at' ? field : '-order_number'
  if (current === first) return second
  return current === second ? DEFAULTS.sort : first
}
