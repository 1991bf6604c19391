export interface PageRequest {
  page: number
  perPage: number
}

/** Where a page stands in its listing. `from` and `to` are 0 on an empty page. */
export interface PagePosition extends PageRequest {
  total: number
  lastPage: number
  from: number
  to: number
  previous: number | undefined
  next: number | undefined
  /** The page numbers to show: the first, the last, and those around the current one. */
  window: number[]
}

/** How many neighbours of the current page are shown on each side. */
const NEIGHBOURS = 5

export function pagePosition({ page, perPage }: PageRequest, total: number): PagePosition {
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const isEmpty = page > lastPage || total === 0
  const from = isEmpty ? 0 : (page - 1) * perPage + 1
  return {
    page,
    perPage,
    total,
    lastPage,
    from,
    to: isEmpty ? 0 : Math.min(from + perPage - 1, total),
    previous: page > 1 ? Math.min(page - 1, lastPage) : undefined,
    next: page < lastPage ? page + 1 : undefined,
    window: pageWindow(Math.min(page, lastPage), lastPage),
  }
}

/** At most 13 numbers, however many pages there are. */
function pageWindow(current: number, last: number): number[] {
  const start = Math.max(2, current - NEIGHBOURS)
  const end = Math.min(last - 1, current + NEIGHBOURS)
  const middle = Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index)
  return [1, ...middle, ...(last > 1 ? [last] : [])]
}
