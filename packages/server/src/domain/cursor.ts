import type { Asset } from './asset.ts'
import { sortName } from './sort-name.ts'

/** The sort key of a list. Equal values are ordered by ID. */
export type SortKey = 'created_at' | 'filename' | 'bytes'

/** The trash is always sorted by the time of deletion. */
export type CursorKey = SortKey | 'deleted_at'

/** The position of a row in a sorted list. It stays valid when that row is deleted or changed. */
export interface Cursor {
  id: string
  /**
   * The name as it is sorted, the bytes, or the time of deletion in milliseconds. Omitted if the list is sorted by ID,
   * as for `created_at`.
   */
  value?: string | number
}

/** The end of the year 9999: no timestamp in a database is later. */
const LAST_TIME = Date.UTC(10_000, 0) - 1

const CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.([\w-]+))?$/i

/** The ID, followed by the name or the bytes if the list is sorted by them. */
export function cursorText({ id, filename, bytes }: Asset, by: SortKey): string {
  if (by === 'filename') return `${id}.${Buffer.from(filename).toString('base64url')}`
  return by === 'bytes' ? `${id}.${bytes}` : id
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
  if (by === 'filename') {
    const name = Buffer.from(value, 'base64url').toString()
    return name.includes('\0') ? undefined : { ...cursor, value: sortName(name) }
  }
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  const max = by === 'deleted_at' ? LAST_TIME : Number.MAX_SAFE_INTEGER
  return number <= max ? { ...cursor, value: number } : undefined
}
