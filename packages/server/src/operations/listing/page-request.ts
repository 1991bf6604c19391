import { LARGEST_PAGE } from '@stowage/protocol'
import { type Cursor, readCursor, type SortKey } from '../../domain/cursor.ts'
import { isSearchable } from '../../domain/filename.ts'
import type { PageRequest } from '../../domain/paging.ts'
import { foldText } from '../../domain/search-text.ts'
import { invalid } from '../../errors.ts'

/** A page as the caller asks for it. */
export interface PageWish {
  page?: number | undefined
  limit?: number | undefined
  after?: string | undefined
}

const DEFAULT_PAGE_SIZE = 25

export function pageRequest({ page = 1, limit = DEFAULT_PAGE_SIZE }: PageWish): PageRequest {
  return { page, perPage: Math.min(limit, LARGEST_PAGE) }
}

/** The position that a walk through the list continues from; `page` does not go with it. */
export function cursorWish({ after, page }: PageWish, by: SortKey): { after?: Cursor } {
  if (after === undefined) return {}
  if (page !== undefined) throw invalid({ page: ['must be left out when after is given'] })
  const cursor = readCursor(after, by)
  if (cursor !== undefined) return { after: cursor }
  throw invalid({ after: ['must be the meta.next_after of a page with the same sort'] })
}

/** A text that must be met exactly; undefined when there is nothing to look for. */
export function exactText(field: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!isSearchable(text)) throw invalid({ [field]: ['must not have control characters'] })
  return text
}

/** A filter in the form in which names are searched; undefined when there is nothing to look for. */
export function searchText(field: string, text: string | undefined): string | undefined {
  const exact = exactText(field, text)
  return exact === undefined ? undefined : foldText(exact)
}
