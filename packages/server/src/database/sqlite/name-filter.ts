import { trigrams } from '../../domain/search-text.ts'
import { MAX_SMALL_RESULT } from '../listing/small-result-cache.ts'
import type { Connection } from './statement.ts'

export interface Filter {
  /** To be joined by `and`. */
  conditions: string[]
  parameters: Record<string, string | number>
  /** Whether few rows match, so that only this filter should determine how they are found. */
  isSelective?: boolean
}

/**
 * Finds a folded text in the `search_name` of products. If few names contain its trigrams, the trigram
 * index finds them; it stores no positions, so each name is checked again. If many names contain them, or
 * the text is too short for a trigram, the names are read in the order of the list.
 */
export function prepareNameFilter({ prepare }: Connection) {
  const candidates = prepare<{ count: number }>(
    `select count(*) as count from (
       select 1 from product_names where product_names match :match limit ${MAX_SMALL_RESULT + 1})`,
  )
  return (name: string): Filter => {
    const contains = 'instr(search_name, :name) > 0'
    const withoutIndex = { conditions: [contains], parameters: { name }, isSelective: false }
    const match = matchExpression(name)
    if (match === undefined) return withoutIndex
    if ((candidates.get({ match })?.count ?? 0) > MAX_SMALL_RESULT) return withoutIndex
    return {
      conditions: [
        contains,
        'seq in (select rowid from product_names where product_names match :match)',
      ],
      parameters: { name, match },
      isSelective: true,
    }
  }
}

/**
 * An FTS5 expression that matches all trigrams of the text. Each is quoted, so that no part of a name is
 * an operator. Undefined when the text is too short for a trigram.
 */
export function matchExpression(name: string): string | undefined {
  const quoted = trigrams(name).map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
  return quoted.length === 0 ? undefined : quoted.join(' AND ')
}
