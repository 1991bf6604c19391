export interface PageRequest {
  page: number
  perPage: number
}

/**
 * The position of a page in its listing. `from` and `to` are 0 on an empty page. After a cursor the
 * position is unknown: `page`, `from` and `to` are 0.
 */
export interface PagePosition extends PageRequest {
  total: number
  lastPage: number
  from: number
  to: number
  previous: number | undefined
  next: number | undefined
  /** The cursor of the last row; undefined if no row follows. */
  nextAfter?: string | undefined
  /** The page numbers to show: the first, the last, and those around the current one. */
  window: number[]
}

/** How many page numbers are shown on each side of the current page. */
const NEIGHBORS = 5

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

/** The position of a page that was read after a cursor. */
export function positionAfterCursor(
  { perPage }: PageRequest,
  { total, nextAfter }: { total: number; nextAfter: string | undefined },
): PagePosition {
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const unknown = { page: 0, from: 0, to: 0, previous: undefined, next: undefined, window: [] }
  return { ...unknown, perPage, total, lastPage, nextAfter }
}

/** The rows of a page, counted from the nearer end of the listing. */
export interface RowRange {
  /** If true, the rows are read in reverse order. */
  isFromEnd: boolean
  offset: number
  limit: number
}

/**
 * Skipping rows takes time, so the rows of a page are counted from the nearer end of the listing. After a
 * cursor no rows are skipped.
 */
export function rowRangeOf(
  { page, perPage, after }: PageRequest & { after?: object },
  total: number,
): RowRange {
  if (after !== undefined) return { isFromEnd: false, offset: 0, limit: perPage }
  const offset = (page - 1) * perPage
  const limit = Math.max(0, Math.min(perPage, total - offset))
  const following = total - offset - limit
  return following < offset
    ? { isFromEnd: true, offset: Math.max(0, following), limit }
    : { isFromEnd: false, offset, limit }
}

/** At most 13 page numbers. */
function pageWindow(current: number, last: number): number[] {
  const start = Math.max(2, current - NEIGHBORS)
  const end = Math.min(last - 1, current + NEIGHBORS)
  const middle = Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index)
  return [1, ...middle, ...(last > 1 ? [last] : [])]
}
