import type { Sql } from './connection.ts'
import { containing } from './name-filter.ts'
import type { Fragment } from './statement.ts'

/** The texts of an asset that `search` looks at, besides those of its products. */
const OWN_TEXTS = ['search_name']

/**
 * Matches assets that have every word in one of their own texts or in a text of an attached product. Whether
 * any product has the word is looked up once; if none has it, the attachments are not read.
 */
export function wordFilter(sql: Sql, account: string, words: readonly string[]): Fragment[] {
  return words.map((word) => {
    const own = OWN_TEXTS.map((text) => sql`strpos(${sql(text)}, ${word}) > 0`)
    return sql`(${anyOf(sql, own)} or (
      (select exists (
        select from products p
        where p.account_id = ${account} and p.search_text like ${containing(word)}))
      and exists (
        select from asset_products l join products p on p.id = l.product_id
        where l.asset_id = assets.id and strpos(p.search_text, ${word}) > 0)))`
  })
}

/** Selects assets that have the word: at most `limit` by their own texts, and `limit` by their products. */
export function wordCandidates(
  sql: Sql,
  account: string,
  { word, limit }: { word: string; limit: number },
): Fragment {
  const own = OWN_TEXTS.map((text) => sql`${sql(text)} like ${containing(word)}`)
  return sql`
    (select id from assets
     where account_id = ${account} and status = 'ready' and (${anyOf(sql, own)}) limit ${limit})
    union (
     select l.asset_id from products p join asset_products l on l.product_id = p.id
     where p.account_id = ${account} and p.search_text like ${containing(word)} limit ${limit})`
}

function anyOf(sql: Sql, conditions: Fragment[]): Fragment {
  return conditions.reduce((some, condition) => sql`${some} or ${condition}`)
}
