import type { Asset } from './asset.ts'
import { sortName } from './search.ts'

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
  /** If it is set, there are at least so many rows, and at most `total`. */
  atLeast?: number | undefined
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
interface RowRange {
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

/** The sort key of a list. Equal values are ordered by ID. */
export type SortKey = 'created_at' | 'filename' | 'bytes'

/** The trash is always sorted by the time of deletion. */
export type CursorKey = SortKey | OrderSortKey | 'deleted_at'

export type OrderSortKey = 'created_at' | 'ordered_at' | 'order_number'

/** The position of a row in a sorted list. It stays valid when that row is deleted or changed. */
export interface Cursor {
  id: string
  /**
   * The name or number as it is sorted, the bytes, or the time in milliseconds. Omitted if the list is sorted by ID,
   * as for `created_at`.
   */
  value?: string | number
}

/** The end of the year 9999: no timestamp in a database is later. */
const LAST_TIME = Date.UTC(10_000, 0) - 1

const CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.([\w-]*))?$/i

/** The ID, followed by the name or the bytes if the list is sorted by them. */
export function cursorText({ id, filename, bytes }: Asset, by: SortKey): string {
  if (by === 'filename') return `${id}.${Buffer.from(filename).toString('base64url')}`
  return by === 'bytes' ? `${id}.${bytes}` : id
}

/** The ID, followed by the number or the time if the list is sorted by them. */
export function orderCursorText(
  { id, number, orderedAt }: { id: string; number: string | null; orderedAt: Date },
  by: OrderSortKey,
): string {
  if (by === 'order_number') return `${id}.${Buffer.from(number ?? '').toString('base64url')}`
  return by === 'ordered_at' ? `${id}.${orderedAt.getTime()}` : id
}

/** The cursor of a row in the trash. */
export function trashCursorText({ id, trashedAt }: { id: string; trashedAt: Date }): string {
  return `${id}.${trashedAt.getTime()}`
}

/** Undefined if the text is not a cursor of a list with this sort key. */
export function readCursor(text: string, by: CursorKey): Cursor | undefined {
  const [, id, value] = CURSOR.exec(text) ?? []
  if (id === undefined) return undefined
  const cursor = { id: id.toLowerCase() }
  if (by === 'created_at') return value === undefined ? cursor : undefined
  if (value === undefined) return undefined
  if (by === 'filename' || by === 'order_number') {
    const name = Buffer.from(value, 'base64url').toString()
    return name.includes('\0') ? undefined : { ...cursor, value: sortName(name) }
  }
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  const max = by === 'bytes' ? Number.MAX_SAFE_INTEGER : LAST_TIME
  return number <= max ? { ...cursor, value: number } : undefined
}
