import type { Sql } from './connection.ts'
import { containing } from './name-filter.ts'
import type { Fragment } from './statement.ts'

/** This many products fit into a hash table with the default `work_mem`. */
const MAX_HASHED_PRODUCTS = 10_000

/**
 * Matches assets that have every word in their name, in their path or in a text of an attached product. PostgreSQL
 * looks up once whether any path has the word, and whether any product has it. If no path has it, the paths of the
 * assets are not read; the same applies to their products. Names are read from an index. A name and a path together
 * are too long for an index entry, so paths are read from the table.
 */
export function wordFilter(
  sql: Sql,
  account: string,
  words: readonly string[],
  textsBy: 'index' | 'scan',
): Fragment[] {
  return words.map((word) => {
    const products = sql`
      select p.id from products p
      where p.account_id = ${account} and p.search_text like ${containing(word)}`
    const attached = sql`exists (
      select from asset_products l join products p on p.id = l.product_id
      where l.asset_id = assets.id and strpos(p.search_text, ${word}) > 0)`
    return sql`(strpos(search_name, ${word}) > 0
      or (
        (select exists (${assetsByPath(sql, account, word)}))
        and exists (
          select from assets a where a.id = assets.id and strpos(a.search_path, ${word}) > 0))
      or (
        (select exists (${products}))
        and ${textsBy === 'index' ? attached : attachedToHashed(sql, products, attached)}))`
  })
}

/**
 * Looks up the products of an asset in a hash table of the products that have the word. Reading the texts of the
 * products instead takes more than twice as long. With too many products, PostgreSQL would compare them one by one
 * instead of hashing them.
 */
function attachedToHashed(sql: Sql, products: Fragment, otherwise: Fragment): Fragment {
  const some = sql`${products} limit ${MAX_HASHED_PRODUCTS + 1}`
  // PostgreSQL hashes a subquery only if it does not turn it into a join: `is true` prevents that.
  return sql`case when (select count(*) from (${some}) found) <= ${MAX_HASHED_PRODUCTS}
    then exists (
      select from asset_products l
      where l.asset_id = assets.id and (l.product_id in (${some})) is true)
    else ${otherwise} end`
}

/** Selects assets that have the word: at most `limit` by name, as many by path, and as many by product. */
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

/** Must repeat the condition of the partial index; otherwise PostgreSQL does not use the index. */
function assetsByPath(sql: Sql, account: string, word: string): Fragment {
  return sql`
    select a.id from assets a
    where a.account_id = ${account} and a.status = 'ready' and a.folder is not null
      and a.search_path like ${containing(word)}`
}
