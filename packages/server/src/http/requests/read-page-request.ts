import { MAX_PAGE_SIZE } from '@stowage/protocol'
import { type Cursor, type CursorKey, readCursor } from '../../domain/cursor.ts'
import type { PageRequest } from '../../domain/paging.ts'
import { invalid } from '../../errors.ts'

interface PageQuery {
  page?: number | undefined
  limit?: number | undefined
  after?: string | undefined
}

const DEFAULT_PAGE_SIZE = 25

/** `after` continues after the last row of a page, so it cannot be combined with `page`. */
export function readPageRequest(
  { page, limit = DEFAULT_PAGE_SIZE, after }: PageQuery,
  sortedBy: CursorKey,
): PageRequest & { after?: Cursor } {
  const request = { page: page ?? 1, perPage: Math.min(limit, MAX_PAGE_SIZE) }
  if (after === undefined) return request
  if (page !== undefined) throw invalid({ page: ['must be omitted if after is given'] })
  const cursor = readCursor(after, sortedBy)
  if (cursor !== undefined) return { ...request, after: cursor }
  throw invalid({ after: ['must be the meta.next_after of a page with the same sort'] })
}
