import { type Filter, matchExpression } from './name-filter.ts'

/** The texts of an asset that `search` looks at, besides those of its products, and their trigram indexes. */
const OWN_TEXTS = [
  { column: 'search_name', index: 'asset_names' },
  { column: 'search_path', index: 'asset_paths' },
]

/**
 * Matches assets that have every word in one of their own texts or in a text of an attached product. SQLite looks
 * up once whether any product has the trigrams of the word; if none has them, the attachments are not read.
 */
export function wordFilter(words: readonly string[]): Filter {
  const conditions: string[] = []
  const parameters: Filter['parameters'] = {}
  for (const [index, word] of words.entries()) {
    const own = OWN_TEXTS.map(({ column }) => `instr(${column}, :word${index}) > 0`)
    const inProduct = `exists (
      select 1 from asset_products l cross join products p on p.seq = l.product_seq
      where l.asset_seq = assets.seq and instr(p.search_text, :word${index}) > 0)`
    const match = matchExpression(word)
    parameters[`word${index}`] = word
    if (match !== undefined) parameters[`match${index}`] = match
    const anyProduct =
      match === undefined
        ? ''
        : `(select exists (select 1 from product_texts where product_texts match :match${index})) and `
    conditions.push(`(${own.join(' or ')} or (${anyProduct}${inProduct}))`)
  }
  return { conditions, parameters }
}

/** For each kind of text, a query for the assets whose text may contain the word with this index. */
export function wordCandidates(index: number): string[] {
  const own = OWN_TEXTS.map(
    (text) => `select rowid as seq from ${text.index} where ${text.index} match :match${index}`,
  )
  return [
    ...own,
    `select l.asset_seq as seq
     from product_texts t cross join asset_products l on l.product_seq = t.rowid
     where product_texts match :match${index}`,
  ]
}
