import type { Asset } from '../../domain/asset.ts'
import { folderRange } from '../../domain/names.ts'
import { TRIGRAM_LENGTH } from '../../domain/search.ts'
import type { AssetQuery, AssetSort, Rows } from '../account-data.ts'
import { statement } from '../shared/dialect.ts'
import {
  filterKey,
  inOrderOf,
  isByProduct,
  MAX_SMALL_RESULT,
  type openSmallResultCache,
  pageOf,
  type SmallResult,
  SORT_COLUMNS,
} from '../shared/listing.ts'
import { type AssetRow, toAsset, toAssetOf } from '../shared/rows.ts'
import {
  allOf,
  execute,
  type Fragment,
  inSnapshot,
  plannedForValues,
  type Sql,
} from './connection.ts'
import { assetColumns, LISTED_COLUMNS, listedAt, type PlainListedRow } from './rows.ts'

/** Whether the query also has a filter, besides the words, that an index supports. */
function hasIndexedFilter({ name = '', folder }: AssetQuery): boolean {
  return [...name].length >= TRIGRAM_LENGTH || folder !== undefined
}

/** Building its text for each request would take longer than reading the rows. */
const READ_FOUND = statement<{ account: string; ids: string[] }>(
  `select ${LISTED_COLUMNS}, (select revision from accounts where id = :account) as listed_at
   from assets where account_id = :account and status = 'ready' and id = any(:ids::uuid[])`,
).every((row: PlainListedRow & { listed_at: number }) => row)

export type SmallResultCache = ReturnType<typeof openSmallResultCache<string>>

/** Finds assets through an index, if few match: by folder, by tag, or by the trigrams of a name or a word. */
export function smallResults(sql: Sql, account: string, cache: SmallResultCache) {
  const ready = sql`account_id = ${account} and status = 'ready'`

  async function find(query: AssetQuery): Promise<SmallResult<string> | undefined> {
    const { words } = query
    const isIndexed = hasIndexedFilter(query) || (await hasRareTag(query))
    if (words === undefined) return isIndexed ? findAmong(query, []) : undefined
    const counts = await countCandidates(words)
    const [fewest] = words
      .map((word, index) => ({ word, count: counts[index] ?? Infinity }))
      .sort((a, b) => a.count - b.count)
    if (fewest === undefined || fewest.count > MAX_SMALL_RESULT) {
      return isIndexed ? findAmong(query, []) : undefined
    }
    const { names, paths, products } = wordSources(sql, account, fewest.word)
    return findAmong(query, [sql`id in (${names} union ${paths} union ${products})`])
  }

  async function hasRareTag({ tag }: AssetQuery): Promise<boolean> {
    if (tag === undefined) return false
    const [row] = await sql<{ assets: number }[]>`
      select assets from tags where account_id = ${account} and tag = ${tag}`
    return (row?.assets ?? 0) <= MAX_SMALL_RESULT
  }

  /**
   * The number of assets that have each word, by name, by path and by product. An asset that has it in several of them
   * counts several times. Counting stops above the size of a small result, and starts with the products: a product has
   * many assets, so that few rows are read for a common word.
   */
  async function countCandidates(words: string[]): Promise<number[]> {
    const counts = words.map((word) => {
      if ([...word].length < TRIGRAM_LENGTH) return sql`select ${MAX_SMALL_RESULT + 1}::bigint`
      const { names, paths, products } = wordSources(sql, account, word)
      const countOf = (found: Fragment) =>
        sql`select count(*) from (${found} limit ${MAX_SMALL_RESULT + 1}) found`
      return sql`
        select case when by_product > ${MAX_SMALL_RESULT} then by_product
          else by_product + (${countOf(paths)}) + (${countOf(names)}) end
        from (${countOf(products)}) counted (by_product)`
    })
    const rows = counts.map(
      (count, index) => sql`select ${index}::int as index, (${count}) as count`,
    )
    const found = await sql<{ index: number; count: number }[]>`
      ${rows.reduce((all, row) => sql`${all} union all ${row}`)} order by index`
    return found.map(({ count }) => count)
  }

  async function findAmong(
    query: AssetQuery,
    candidates: Fragment[],
  ): Promise<SmallResult<string> | undefined> {
    const filter = [...candidates, ...conditionsOf(sql, account, query, 'index')]
    // An index contains all that is read, unless more columns are read than those of the order.
    const [found] = await sql<[{ ids: string[] | null; listed_at: number }]>`
      with found as materialized (
        select ${sql(SORT_COLUMNS[query.sort.by])} from assets
        where ${allOf(sql, [ready, ...filter])} limit ${MAX_SMALL_RESULT + 1})
      select array_agg(id order by ${orderOf(sql, query.sort)}) as ids, ${listedAt(sql, account)}
      from found`
    const ids = found.ids ?? []
    return ids.length > MAX_SMALL_RESULT ? undefined : { ids, revision: found.listed_at }
  }

  async function read(
    result: SmallResult<string>,
    query: AssetQuery,
  ): Promise<Rows<Asset> | 'changed'> {
    const ids = pageOf(result, query)
    const found = await execute(sql, READ_FOUND, { account, ids })
    if (found[0]?.listed_at !== result.revision) return 'changed'
    const rows = inOrderOf(ids, found, ({ id }) => id)
    return {
      rows: rows.map((row) => toAssetOf(account, 'ready', row)),
      total: result.ids.length,
    }
  }

  /** The second statement checks the filter again: the rows are current, the total may be older. */
  async function readAfterCursor(query: AssetQuery): Promise<Rows<Asset> | undefined> {
    const result = await find(query)
    if (result === undefined) return undefined
    const filter = conditionsOf(sql, account, query, 'index')
    const among = sql`id = any(${result.ids}::uuid[])`
    const conditions = [ready, among, ...filter, ...afterCursor(sql, query)]
    const rows = await sql<AssetRow[]>`
      select ${assetColumns(sql)} from assets where ${allOf(sql, conditions)}
      order by ${orderOf(sql, query.sort)} limit ${query.perPage}`
    return { rows: rows.map(toAsset), total: result.ids.length }
  }

  return async (query: AssetQuery): Promise<Rows<Asset> | undefined> => {
    // PostgreSQL combines the indexes of names and products itself.
    if (isByProduct(query)) return undefined
    if (query.after !== undefined) return readAfterCursor(query)
    const key = JSON.stringify([account, filterKey(query), query.sort])
    const cached = cache.get(key)
    const readCached = async () => (cached === undefined ? 'changed' : read(cached, query))
    const findAndRead = async () => {
      const result = await find(query)
      if (result === undefined) return undefined
      // A page without rows returns no revision to compare later.
      if (pageOf(result, query).length === 0) return { rows: [], total: result.ids.length }
      cache.set(key, result)
      return read(result, query)
    }
    // While nothing changes, the first attempt succeeds in one statement. The last attempt always succeeds.
    for (const attempt of [readCached, findAndRead, () => inSnapshot(sql, findAndRead)]) {
      const page = await attempt()
      if (page !== 'changed') return page
    }
    throw new Error('one snapshot returned two revisions')
  }
}

export function orderOf(sql: Sql, { by, descending }: AssetSort): Fragment {
  const direction = descending ? sql`desc` : sql`asc`
  const [first = 'id', second] = SORT_COLUMNS[by]
  return second
    ? sql`${sql(first)} ${direction}, ${sql(second)} ${direction}`
    : sql`${sql(first)} ${direction}`
}

/** Matches the rows after the query's cursor, in its sort order. Without a cursor, there is no condition. */
export function afterCursor(sql: Sql, { sort, after }: AssetQuery): Fragment[] {
  if (after === undefined) return []
  const sign = sort.descending ? sql`<` : sql`>`
  if (after.value === undefined) return [sql`id ${sign} ${after.id}`]
  const columns = sql(SORT_COLUMNS[sort.by])
  return [sql`(${columns}) ${sign} (${after.value}, ${after.id})`]
}

/**
 * The conditions of the query's filters. `nameBy` chooses how a name or a folder is found: by its index, or
 * by reading every row, which is faster within a block.
 */
export function conditionsOf(
  sql: Sql,
  account: string,
  query: Omit<AssetQuery, 'page' | 'perPage' | 'sort'>,
  nameBy: 'index' | 'scan',
): Fragment[] {
  const { name, kind, attached, sku, productId, ofProduct, folder, isDirect, tag } = query
  const attachedTo = (condition: Fragment) => sql`id in (
    select l.asset_id from products p join asset_products l on l.product_id = p.id
    where p.account_id = ${account} and ${condition})`
  const conditions: Fragment[] = []
  if (name !== undefined) {
    const isIndexed = nameBy === 'index'
    conditions.push(
      isIndexed ? contains(sql, sql`search_name`, name) : sql`strpos(search_name, ${name}) > 0`,
    )
  }
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
  if (attached !== undefined) conditions.push(sql`attached = ${attached}`)
  if (sku !== undefined) conditions.push(attachedTo(sql`p.sku = ${sku}`))
  if (productId !== undefined) conditions.push(attachedTo(sql`p.product_id = ${productId}`))
  if (ofProduct !== undefined) conditions.push(attachedTo(sql`p.id = ${ofProduct}`))
  if (folder !== undefined) {
    const { from, until } = folderRange(folder, { isDirect })
    // A scan reads an expression, so that PostgreSQL does not use the index of folders.
    const value = nameBy === 'index' ? sql`folder` : sql`(folder || '')`
    conditions.push(sql`folder is not null and ${value} >= ${from} and ${value} < ${until}`)
  }
  if (folder === undefined && isDirect) conditions.push(sql`folder is null`)
  if (tag !== undefined) {
    const tagged = sql`select asset_id from asset_tags t where t.account_id = ${account} and t.tag = ${tag}`
    conditions.push(
      nameBy === 'index'
        ? sql`id in (${tagged})`
        : sql`exists (${tagged} and t.asset_id = assets.id)`,
    )
  }
  return [...conditions, ...wordFilter(sql, account, query.words ?? [], nameBy)]
}

/** This many products fit into a hash table with the default `work_mem`. */
const MAX_HASHED_PRODUCTS = 10_000

/**
 * Matches assets that have every word in their name, in their path or in a text of an attached product. PostgreSQL
 * looks up once whether any path has the word, and whether any product has it. If no path has it, the paths of the
 * assets are not read; the same applies to their products. Names are read from an index. A name and a path together
 * are too long for an index entry, so paths are read from the table.
 */
function wordFilter(
  sql: Sql,
  account: string,
  words: readonly string[],
  textsBy: 'index' | 'scan',
): Fragment[] {
  return words.map((word) => {
    const products = sql`
      select p.id from products p
      where p.account_id = ${account} and ${contains(sql, sql`p.search_text`, word)}`
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

/** Selects the assets that have the word in their name, in their path, and in a text of an attached product. */
function wordSources(sql: Sql, account: string, word: string) {
  const names = sql`
    select id from assets
    where account_id = ${account} and status = 'ready' and ${contains(sql, sql`search_name`, word)}`
  const products = sql`
    select l.asset_id from products p join asset_products l on l.product_id = p.id
    where p.account_id = ${account} and ${contains(sql, sql`p.search_text`, word)}`
  return { names, paths: assetsByPath(sql, account, word), products }
}

/** Must repeat the condition of the partial index; otherwise PostgreSQL does not use the index. */
function assetsByPath(sql: Sql, account: string, word: string): Fragment {
  return sql`
    select a.id from assets a
    where a.account_id = ${account} and a.status = 'ready' and a.folder is not null
      and ${contains(sql, sql`a.search_path`, word)}`
}

/** The condition that the column contains the text. Only a plan for the text shows whether an index finds few rows. */
export function contains(sql: Sql, column: Fragment, text: string): Fragment {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return plannedForValues(sql`${column} like ${pattern}`)
}
