import { trigrams } from '../../domain/search-text.ts'
import type { Connection } from './statement.ts'

export interface Filter {
  /** Conditions, to be joined by `and`. */
  conditions: string[]
  parameters: Record<string, string | number>
  /** Few rows meet it, and it alone should decide how they are found. */
  isSelective?: boolean
}

/** Up to so many candidates the index is asked for them; beyond, names are met soon anyway. */
const FEW = 5000

/**
 * Finds a folded text in the `search_name` of products. Where few names have its trigrams, these are looked up and
 * everything else is asked of them; the index holds no positions, so each is looked at once more.
 * Where many have, or the text is too short for a trigram, names are read in the order of the list.
 */
export function prepareNameFilter({ prepare }: Connection) {
  const candidates = prepare<{ count: number }>(
    `select count(*) as count from (
       select 1 from product_names where product_names match :match limit ${FEW + 1})`,
  )
  return (name: string): Filter => {
    const contains = 'instr(search_name, :name) > 0'
    const everywhere = { conditions: [contains], parameters: { name }, isSelective: false }
    const match = matchExpression(name)
    if (match === undefined) return everywhere
    if ((candidates.get({ match })?.count ?? 0) > FEW) return everywhere
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
 * All trigrams of the text, each quoted: nothing in a name is an operator. Undefined when it is too
 * short to have any.
 */
export function matchExpression(name: string): string | undefined {
  const quoted = trigrams(name).map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
  return quoted.length === 0 ? undefined : quoted.join(' AND ')
}
