import type { Sql } from './connection.ts'
import { containing } from './name-filter.ts'
import type { Fragment } from './statement.ts'

/**
 * Matches assets that have every word in their name, in their path or in a text of an attached product. Whether
 * any path or any product has the word is looked up once; if none has it, they are not read for each asset.
 * Names are read from an index, whose entries are too short for the paths. These are read from the table.
 */
export function wordFilter(sql: Sql, account: string, words: readonly string[]): Fragment[] {
  return words.map(
    (word) => sql`(strpos(search_name, ${word}) > 0
      or (
        (select exists (${assetsByPath(sql, account, word)}))
        and exists (
          select from assets a where a.id = assets.id and strpos(a.search_path, ${word}) > 0))
      or (
        (select exists (
          select from products p
          where p.account_id = ${account} and p.search_text like ${containing(word)}))
        and exists (
          select from asset_products l join products p on p.id = l.product_id
          where l.asset_id = assets.id and strpos(p.search_text, ${word}) > 0)))`,
  )
}

/** Selects the assets that have the word, at most `limit` of each kind. */
export function wordCandidates(
  sql: Sql,
  account: string,
  { word, limit }: { word: string; limit: number },
): Fragment {
  return sql`
    (select id from assets
     where account_id = ${account} and status = 'ready' and search_name like ${containing(word)}
     limit ${limit})
    union (${assetsByPath(sql, account, word)} limit ${limit})
    union (
     select l.asset_id from products p join asset_products l on l.product_id = p.id
     where p.account_id = ${account} and p.search_text like ${containing(word)} limit ${limit})`
}

/** In the words of the partial indexes. */
function assetsByPath(sql: Sql, account: string, word: string): Fragment {
  return sql`
    select a.id from assets a
    where a.account_id = ${account} and a.status = 'ready' and a.folder is not null
      and a.search_path like ${containing(word)}`
}
