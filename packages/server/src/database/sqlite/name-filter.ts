import { TRIGRAM_LENGTH, trigrams } from '../../domain/search-text.ts'

export interface Filter {
  /** Conditions, to be joined by `and`. */
  conditions: string[]
  parameters: Record<string, string | number>
}

/**
 * Finds a folded text in `search_name`. One and two letters are no trigram, and are looked for in
 * every name. The index holds no positions, so each candidate is looked at once more.
 */
export function nameFilter(index: 'asset_names' | 'product_names', name: string): Filter {
  const contains = 'instr(search_name, :name) > 0'
  if ([...name].length < TRIGRAM_LENGTH) return { conditions: [contains], parameters: { name } }
  return {
    conditions: [contains, `seq in (select rowid from ${index} where ${index} match :match)`],
    parameters: { name, match: matchExpression(name) },
  }
}

/** All trigrams of the text, each quoted: nothing in a name is an operator. */
function matchExpression(name: string): string {
  return trigrams(name)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(' AND ')
}
