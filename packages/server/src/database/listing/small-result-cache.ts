import { openMemory } from './lru-cache.ts'

/** All that match a filter, in the order of a sort, as of a revision of the account. */
export interface Found<Id> {
  revision: number
  ids: Id[]
}

/** Up to so many are found one by one; of more, blocks are counted. */
export const FEW = 5000

const MOST_BYTES = 16_000_000
/** Of a UUID as text; a number takes less. */
const ID_BYTES = 64

/** What was found lately, by account, filter and sort. */
export function openFoundFew<Id>() {
  return openMemory<Found<Id>>({
    mostBytes: MOST_BYTES,
    bytesOf: ({ ids }) => ID_BYTES * ids.length,
  })
}

export function pageOf<Id>(
  { ids }: Found<Id>,
  { page, perPage }: { page: number; perPage: number },
): Id[] {
  return ids.slice((page - 1) * perPage, page * perPage)
}

/** The rows of these ids, in their order. */
export function inOrder<Id, Row>(ids: Id[], rows: Row[], idOf: (row: Row) => Id): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
