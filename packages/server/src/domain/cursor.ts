import type { Asset } from './asset.ts'
import { sortName } from './sort-name.ts'

/** The sort key of a list. Equal values are ordered by ID. */
export type SortKey = 'created_at' | 'filename' | 'bytes'

/** The position of a row in a sorted list. It stays valid when that row is deleted or changed. */
export interface Cursor {
  id: string
  /** The name as it is sorted, or the bytes of the row; omitted if the list is sorted by ID. */
  value?: string | number
}

const CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.([\w-]+))?$/i

/** The ID, followed by the name or the bytes if the list is sorted by them. */
export function cursorText({ id, filename, bytes }: Asset, by: SortKey): string {
  if (by === 'filename') return `${id}.${Buffer.from(filename).toString('base64url')}`
  return by === 'bytes' ? `${id}.${bytes}` : id
}

/** Undefined if the text is not a cursor of a list with this sort key. */
export function readCursor(text: string, by: SortKey): Cursor | undefined {
  const [, id, value] = CURSOR.exec(text) ?? []
  if (id === undefined) return undefined
  const cursor = { id: id.toLowerCase() }
  if (by === 'created_at') return value === undefined ? cursor : undefined
  if (value === undefined) return undefined
  if (by === 'filename') {
    const name = Buffer.from(value, 'base64url').toString()
    return name.includes('\0') ? undefined : { ...cursor, value: sortName(name) }
  }
  const bytes = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(bytes) ? { ...cursor, value: bytes } : undefined
}
