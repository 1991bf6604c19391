import type { Asset } from '../../domain/asset.ts'
import { folderRange } from '../../domain/names.ts'
import { trigrams } from '../../domain/search.ts'
import type { AssetQuery, AssetSort, Rows } from '../account-data.ts'
import {
  filterKey,
  inOrderOf,
  isByProduct,
  MAX_SMALL_RESULT,
  openSmallResultCache,
  pageOf,
  type SmallResult,
  SORT_COLUMNS,
} from '../shared/listing.ts'
import type { RunStep } from '../shared/time-slicer.ts'
import type { Connection } from './connection.ts'
import { LISTED_COLUMNS, type ListedRow, toListedAsset } from './rows.ts'

interface SmallResultRow {
  candidates: number
  /** A JSON array. */
  seqs: string
  revision: number
}

/** Queries for rows that an index finds. All rows that match the filter are among them. */
interface Candidates {
  queries: string[]
  parameters: Record<string, string | number>
  /** The condition of the filter that all of them meet. */
  condition?: string
}

interface FindOptions {
  account: string
  query: AssetQuery
  filter: Filter
}

/** The indexes that can find the assets: by product, by folder, by tag, by name and by each word. The result of any of them may be small. */
function candidatesOf({ account, query, filter }: FindOptions): Candidates[] {
  const { name = '', words = [], folder, tag } = query
  const all: Candidates[] = []
  for (const [parameter, condition] of PRODUCT_CONDITIONS) {
    const value = filter.parameters[parameter]
    if (value === undefined) continue
    const sql = `select l.asset_seq as seq
      from products p cross join asset_products l on l.product_seq = p.seq
      where p.account_id = :account and ${condition}`
    const parameters = { account, [parameter]: value }
    all.push({ queries: [sql], parameters, condition: attachedTo(condition) })
  }
  if (folder !== undefined) {
    const { folder_from = '', folder_until = '' } = filter.parameters
    const sql = `select seq from assets where account_id = :account and status = 'ready'
      and folder >= :folder_from and folder < :folder_until`
    all.push({ queries: [sql], parameters: { account, folder_from, folder_until } })
  }
  if (tag !== undefined) {
    const sql = 'select asset_seq as seq from asset_tags where account_id = :account and tag = :tag'
    all.push({ queries: [sql], parameters: { account, tag }, condition: HAS_TAG })
  }
  const match = matchExpression(name)
  if (match !== undefined) {
    const sql = 'select rowid as seq from asset_names where asset_names match :match'
    all.push({ queries: [sql], parameters: { match } })
  }
  for (const [index, word] of words.entries()) {
    const match = matchExpression(word)
    if (match === undefined) continue
    all.push({ queries: wordCandidates(index), parameters: { [`match${index}`]: match } })
  }
  return all
}

/** Finds assets through an index, if few match: by product, by folder, by tag, or by the trigrams of a name or a word. */
export function prepareSmallResults({ prepare }: Connection, runStep: RunStep) {
  const cache = openSmallResultCache<number>()
  const currentRevision = prepare<{ revision: number }>(
    'select revision from accounts where id = :account',
  )
  const rowsOf = prepare<ListedRow>(
    `select ${LISTED_COLUMNS} from assets where seq in (select value from json_each(:seqs))`,
  )

  /** The trigram index stores no positions, so the filter checks each candidate again. */
  function findAmong({ queries, parameters, condition }: Candidates, options: FindOptions) {
    const { account, query, filter } = options
    const limited = queries.map((sql) => `select seq from (${sql} limit ${MAX_SMALL_RESULT + 1})`)
    // Counting is several times as fast as combining the candidates of all queries.
    if (limited.length > 1) {
      const counts = limited.map((sql) => `(select count(*) from (${sql})) > ${MAX_SMALL_RESULT}`)
      const some = prepare<{ many: number }>(`select ${counts.join(' or ')} as many`)
      if (some.get(parameters)?.many === 1) return undefined
    }
    // The plus makes SQLite read the candidates instead of the account's index.
    const others = filter.conditions.filter((one) => one !== condition)
    const conditions = ['+account_id = :account', `+status = 'ready'`, ...others]
    // SQLite keeps the order of the subquery, and sorts it several times as fast as it sorts within an aggregate.
    const statement = prepare<SmallResultRow>(
      `with candidates as materialized (
         select seq from (${limited.join(' union ')}) limit ${MAX_SMALL_RESULT + 1})
       select (select count(*) from candidates) as candidates,
         (select revision from accounts where id = :account) as revision,
         json_group_array(seq) as seqs
       from (
         select seq from assets
         where (select count(*) from candidates) <= ${MAX_SMALL_RESULT}
           and seq in (select seq from candidates)
           and ${conditions.join(' and ')}
         order by ${orderOf(query.sort)})`,
    )
    const row = statement.get({ account, ...parameters, ...filter.parameters })
    if (row === undefined || row.candidates > MAX_SMALL_RESULT) return undefined
    return { revision: row.revision, ids: JSON.parse(row.seqs) as number[] }
  }

  /** The cached result, unless the account's assets have changed since. */
  function findCached(account: string, key: string): SmallResult<number> | undefined {
    const cached = cache.get(key)
    if (cached === undefined) return undefined
    return currentRevision.get({ account })?.revision === cached.revision ? cached : undefined
  }

  function readPage(result: SmallResult<number>, query: AssetQuery): ListedRow[] {
    if (query.after === undefined) {
      const seqs = pageOf(result, query)
      return inOrderOf(seqs, rowsOf.all({ seqs: JSON.stringify(seqs) }), ({ seq }) => seq)
    }
    const { conditions, parameters } = afterCursor(query)
    const next = prepare<ListedRow>(
      `select ${LISTED_COLUMNS} from assets
       where seq in (select value from json_each(:seqs)) and ${conditions.join(' and ')}
       order by ${orderOf(query.sort)} limit +:limit`,
    )
    return next.all({ seqs: JSON.stringify(result.ids), limit: query.perPage, ...parameters })
  }

  return async (
    account: string,
    query: AssetQuery,
    filter: Filter,
  ): Promise<Rows<Asset> | undefined> => {
    const key = JSON.stringify([account, filterKey(query), query.sort])
    const pageIn = (result: SmallResult<number>): Rows<Asset> => {
      const rows = readPage(result, query).map(toListedAsset(account))
      return { rows, total: result.ids.length }
    }
    const cached = findCached(account, key)
    if (cached !== undefined) return pageIn(cached)
    const options = { account, query, filter }
    // A search may have many words. Each is tried in its own turn of the event loop, so that other requests run.
    for (const candidates of candidatesOf(options)) {
      const page = await runStep(account, () => {
        const result = findAmong(candidates, options)
        if (result === undefined) return undefined
        // The account's revision does not change with every change of a product.
        if (!isByProduct(query)) cache.set(key, result)
        return pageIn(result)
      })
      if (page !== undefined) return page
    }
    return undefined
  }
}

export function orderOf({ by, descending }: AssetSort): string {
  return SORT_COLUMNS[by].map((column) => `${column} ${descending ? 'desc' : 'asc'}`).join(', ')
}

/** The filters by product: the parameter, and the condition for the product `p`. */
const PRODUCT_CONDITIONS = [
  ['sku', 'p.sku = :sku'],
  ['product_id', 'p.product_id = :product_id'],
  ['of_product', 'p.id = :of_product'],
] as const

/** Matches assets that are attached to a product that meets the condition. */
function attachedTo(condition: string): string {
  return `exists (
    select 1 from asset_products l cross join products p on p.seq = l.product_seq
    where l.asset_seq = assets.seq and p.account_id = :account and ${condition})`
}

/** Not `exists`, which SQLite may turn into a join that reads all assets of the tag. */
export const HAS_TAG = `(
  select 1 from asset_tags t
  where t.account_id = :account and t.tag = :tag and t.asset_id = assets.id) is not null`

export function filterOf(query: AssetQuery): Filter {
  const conditions: string[] = []
  const parameters: Filter['parameters'] = {}
  const add = (name: string, value: string | number | undefined, condition: string) => {
    if (value === undefined) return
    conditions.push(condition)
    parameters[name] = value
  }
  add('name', query.name, 'instr(search_name, :name) > 0')
  add('kind', query.kind, 'kind = :kind')
  const attached = query.attached === undefined ? undefined : Number(query.attached)
  add('attached', attached, 'attached = :attached')
  const ofProducts = { sku: query.sku, product_id: query.productId, of_product: query.ofProduct }
  for (const [name, condition] of PRODUCT_CONDITIONS) {
    add(name, ofProducts[name], attachedTo(condition))
  }
  if (query.folder !== undefined) {
    // The plus keeps SQLite from reading the whole folder again for each block.
    conditions.push('folder is not null', '+folder >= :folder_from', '+folder < :folder_until')
    const { from, until } = folderRange(query.folder, query)
    Object.assign(parameters, { folder_from: from, folder_until: until })
  }
  if (query.folder === undefined && query.isDirect) conditions.push('folder is null')
  add('tag', query.tag, HAS_TAG)
  const words = wordFilter(query.words ?? [])
  return {
    conditions: [...conditions, ...words.conditions],
    parameters: { ...parameters, ...words.parameters },
  }
}

/** Matches the rows after the query's cursor, in its sort order. Without a cursor all rows match. */
export function afterCursor({ sort, after }: AssetQuery): Filter {
  if (after === undefined) return { conditions: [], parameters: {} }
  const sign = sort.descending ? '<' : '>'
  if (after.value === undefined) {
    return { conditions: [`id ${sign} :after_id`], parameters: { after_id: after.id } }
  }
  return {
    conditions: [`(${SORT_COLUMNS[sort.by].join(', ')}) ${sign} (:after_value, :after_id)`],
    parameters: { after_value: after.value, after_id: after.id },
  }
}

/** The texts of an asset that `search` looks at, besides those of its products, and their trigram indexes. */
const OWN_TEXTS = [
  { column: 'search_name', index: 'asset_names' },
  { column: 'search_path', index: 'asset_paths' },
]

/**
 * Matches assets that have every word in one of their own texts or in a text of an attached product. SQLite looks
 * up once whether any product has the trigrams of the word; if none has them, the attachments are not read.
 */
function wordFilter(words: readonly string[]): Filter {
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
function wordCandidates(index: number): string[] {
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

/** Stores the trigrams of an asset's name, instead of those of its previous name. */
export function prepareNameIndex({ prepare }: Connection) {
  return prepare(
    'insert or replace into asset_names (rowid, search_name) values (:seq, :search_name)',
  )
}

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
    const found = `products where +account_id = :account
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
