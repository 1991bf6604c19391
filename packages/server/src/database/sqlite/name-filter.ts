import { trigrams } from '../../domain/search-text.ts'
import { MAX_SMALL_RESULT } from '../listing/small-result-cache.ts'
import type { Connection } from './statement.ts'

export interface Filter {
  /** To be joined by `and`. */
  conditions: string[]
  parameters: Record<string, string | number>
}

/** Folded texts to find in products. */
export interface ProductTexts {
  name?: string
  words?: string[]
}

/**
 * Finds products by a part of the name and by words. If few products contain all trigrams of these texts, `found`
 * is a query of them; the trigram index stores no positions, so each product is checked again. If many products do,
 * or all texts are too short for a trigram, there is no such query.
 */
export function prepareNameFilter({ prepare }: Connection) {
  const candidates = prepare<{ count: number }>(
    `select count(*) as count from (
       select 1 from product_texts where product_texts match :match limit ${MAX_SMALL_RESULT + 1})`,
  )
  return ({ name, words = [] }: ProductTexts): Filter & { found?: string } => {
    const conditions = words.map((_, index) => `instr(search_text, :word${index}) > 0`)
    const parameters: Filter['parameters'] = {}
    for (const [index, word] of words.entries()) parameters[`word${index}`] = word
    if (name !== undefined) {
      conditions.push('instr(search_name, :name) > 0')
      parameters.name = name
    }
    const match = matchExpression(...words, ...(name === undefined ? [] : [name]))
    if (match === undefined || (candidates.get({ match })?.count ?? 0) > MAX_SMALL_RESULT) {
      return { conditions, parameters }
    }
    // The plus makes SQLite start from the trigram index instead of the account's index.
    const found = `select * from products where +account_id = :account
      and seq in (select rowid from product_texts where product_texts match :match)`
    return { conditions, parameters: { ...parameters, match }, found }
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
