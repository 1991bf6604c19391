import { trigrams } from '../../domain/search-text.ts'
import { MAX_SMALL_RESULT } from '../listing/small-result-cache.ts'
import type { Connection } from './statement.ts'

export interface Filter {
  /** To be joined by `and`. */
  conditions: string[]
  parameters: Record<string, string | number>
  /** Whether few rows match. SQLite then starts from this filter instead of the account’s index. */
  isSelective?: boolean
}

/** Folded texts to find in products. */
export interface ProductTexts {
  name?: string
  words?: string[]
}

/**
 * Finds products by a part of the name and by words. If few products contain all trigrams of these texts,
 * the trigram index finds them; it stores no positions, so each product is checked again. If many products
 * do, or all texts are too short for a trigram, the products are read in the order of the list.
 */
export function prepareNameFilter({ prepare }: Connection) {
  const candidates = prepare<{ count: number }>(
    `select count(*) as count from (
       select 1 from product_texts where product_texts match :match limit ${MAX_SMALL_RESULT + 1})`,
  )
  return ({ name, words = [] }: ProductTexts): Filter => {
    const conditions = words.map((_, index) => `instr(search_text, :word${index}) > 0`)
    const parameters: Filter['parameters'] = {}
    for (const [index, word] of words.entries()) parameters[`word${index}`] = word
    if (name !== undefined) {
      conditions.push('instr(search_name, :name) > 0')
      parameters.name = name
    }
    const match = matchExpression(...words, ...(name === undefined ? [] : [name]))
    if (match === undefined || (candidates.get({ match })?.count ?? 0) > MAX_SMALL_RESULT) {
      return { conditions, parameters, isSelective: false }
    }
    return {
      conditions: [
        ...conditions,
        'seq in (select rowid from product_texts where product_texts match :match)',
      ],
      parameters: { ...parameters, match },
      isSelective: true,
    }
  }
}

/**
 * An FTS5 expression that matches all trigrams of the texts. Each trigram is quoted, so that no part of a text is
 * an operator. Undefined when all texts are too short for a trigram.
 */
export function matchExpression(...texts: string[]): string | undefined {
  const all = new Set(texts.flatMap(trigrams))
  const quoted = [...all].map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
  return quoted.length === 0 ? undefined : quoted.join(' AND ')
}
