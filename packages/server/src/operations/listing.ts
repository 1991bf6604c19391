import type { Rows } from '../database/account-data.ts'
import {
  type PagePosition,
  type PageRequest,
  pagePosition,
  positionAfterCursor,
} from '../domain/paging.ts'

/**
 * Reads a page by its number or after a cursor. After a cursor it reads one more row than requested, to
 * see whether another page follows.
 */
export async function readPage<Row, Query extends PageRequest & { after?: object }>(
  query: Query,
  read: (query: Query) => Promise<Rows<Row>>,
  cursorOf: (row: Row) => string,
): Promise<{ rows: Row[]; position: PagePosition }> {
  const lastOf = (rows: Row[]) => rows.slice(-1).map(cursorOf)[0]
  if (query.after === undefined) {
    const { rows, total, atLeast } = await read(query)
    const position = pagePosition(query, total)
    const nextAfter = position.next === undefined ? undefined : lastOf(rows)
    return { rows, position: { ...position, atLeast, nextAfter } }
  }
  const { rows: found, total, atLeast } = await read({ ...query, perPage: query.perPage + 1 })
  const rows = found.slice(0, query.perPage)
  const nextAfter = found.length > rows.length ? lastOf(rows) : undefined
  return { rows, position: { ...positionAfterCursor(query, { total, nextAfter }), atLeast } }
}

/** Whether a statement found at most half as many rows as it may read. The next statement then covers twice as much. */
export function isHalfEmpty(found: Map<string, unknown[]>, most: number): boolean {
  const rows = [...found.values()].reduce((sum, list) => sum + list.length, 0)
  return rows * 2 <= most
}
