import type { Product } from './product.ts'
import { foldText } from './search.ts'

/** The sort order of a list of products. Equal values are ordered by our ID, and equal product IDs by variant ID. */
export interface ProductSort {
  by: 'created_at' | 'name' | 'sku' | 'product_id'
  descending: boolean
}

export const NEWEST_PRODUCTS: ProductSort = { by: 'created_at', descending: true }
/** The usual order of products of the shop. */
export const LAST_PRODUCT_ID: ProductSort = { by: 'product_id', descending: true }

/**
 * The values of a row in the columns by which its list is sorted: the position of a cursor, which stays valid when the
 * row is deleted or changed.
 */
export type Position = (string | number)[]

/** Short enough, in any script, for an index entry of PostgreSQL, which has at most 2,704 bytes. */
const MAX_SORTED_LENGTH = 200

/** The beginning of the folded text. */
function sortedText(text: string): string {
  return [...foldText(text)].slice(0, MAX_SORTED_LENGTH).join('')
}

export function productPosition(product: Product, by: ProductSort['by']): Position {
  const { id, name, variantName, sku, productId, variantId } = product
  if (by === 'created_at') return [id]
  if (by === 'product_id') return [productId, variantId]
  return [sortedText(by === 'sku' ? sku : `${name} ${variantName}`), id]
}

/** The position as clients get it: the ID first, or only numbers if the list is sorted by them. */
export function positionText(position: Position): string {
  const [first = '', second] = position
  if (typeof first === 'number') return position.join('.')
  return second === undefined ? first : `${second}.${Buffer.from(first).toString('base64url')}`
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ID_ONLY = new RegExp(`^(${UUID})$`, 'i')
const ID_AND_TEXT = new RegExp(`^(${UUID})\\.([\\w-]*)$`, 'i')

/**
 * Undefined if the text is not a cursor of a list with this sort key. `numbers`: how many columns a list that is sorted
 * by product ID has.
 */
export function readPosition(
  text: string,
  { by, numbers }: { by: ProductSort['by']; numbers: 1 | 2 },
): Position | undefined {
  if (by === 'product_id') {
    const parts = text.split('.').map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : NaN))
    return parts.length === numbers && parts.every(Number.isSafeInteger) ? parts : undefined
  }
  const [, id, value] = (by === 'created_at' ? ID_ONLY : ID_AND_TEXT).exec(text) ?? []
  if (id === undefined) return undefined
  if (value === undefined) return [id.toLowerCase()]
  const sorted = Buffer.from(value, 'base64url').toString()
  return sorted.includes('\0') ? undefined : [sorted, id.toLowerCase()]
}
