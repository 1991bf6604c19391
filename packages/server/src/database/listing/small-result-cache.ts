import { openLruCache } from './lru-cache.ts'

/** The IDs of all assets that match a filter, sorted, at a revision of the account. */
export interface SmallResult<Id> {
  revision: number
  ids: Id[]
}

/** A result with more matches is not small: its blocks are counted instead. */
export const MAX_SMALL_RESULT = 5000

const MAX_BYTES = 16_000_000
/** The size of a UUID as text. SQLite's numbers take less. */
const ID_BYTES = 64

/** Caches small results by account, filter and sort order. */
export function openSmallResultCache<Id>() {
  return openLruCache<SmallResult<Id>>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ ids }) => ID_BYTES * ids.length,
  })
}

export function pageOf<Id>(
  { ids }: SmallResult<Id>,
  { page, perPage }: { page: number; perPage: number },
): Id[] {
  return ids.slice((page - 1) * perPage, page * perPage)
}

/** Sorts the rows in the order of these IDs. */
export function inOrderOf<Id, Row>(ids: Id[], rows: Row[], idOf: (row: Row) => Id): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
