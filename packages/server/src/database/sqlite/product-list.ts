import { rowRangeOf } from '../../domain/paging.ts'
import type { Product, ProductGroup } from '../../domain/product.ts'
import {
  LAST_PRODUCT_ID,
  NEWEST_PRODUCTS,
  type Position,
  type ProductSort,
} from '../../domain/product-sort.ts'
import type {
  AccountData,
  MatchingProduct,
  ProductGroupQuery,
  ProductQuery,
  Rows,
} from '../account-data.ts'
import { inOrderOf } from '../shared/listing.ts'
import { type GroupRow, toProduct, toProductGroups } from '../shared/product-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import { PRODUCT_COLUMNS, type ProductRow } from './rows.ts'
import { countFew, type LongReads, type Scan, scanList, scanPage } from './scan.ts'
import { type Filter, prepareNameFilter } from './search.ts'

export function prepareProductList(connection: Connection, longReads: LongReads) {
  const filterOf = prepareProductFilter(connection)

  function readPage(query: ProductQuery, { from, total, ...filter }: FewProducts): ProductRow[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { sort = NEWEST_PRODUCTS, after } = query
    const { columns } = SORTS[sort.by]
    const cursor = afterCursor(columns, sort, after)
    const conditions = [...filter.conditions, ...cursor.conditions]
    const page = connection.prepare<ProductRow>(
      `select ${PRODUCT_COLUMNS} ${from} where ${conditions.join(' and ') || 'true'}
       order by ${orderOf(columns, sort.descending !== isFromEnd)} limit +:limit offset :offset`,
    )
    const rows = page.all({ ...filter.parameters, ...cursor.parameters, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scan(
    account: string,
    query: ProductQuery,
    filter: ProductFilter,
  ): Promise<Rows<ProductRow>> {
    const { sort = NEWEST_PRODUCTS, after } = query
    const { index, columns: order } = SORTS[sort.by]
    const list: Scan = {
      account,
      table: 'products',
      index,
      own: 'account_id = :account',
      order,
      descending: sort.descending,
      filter,
      after,
    }
    return scanList(longReads, { scan: list, page: query, columns: PRODUCT_COLUMNS })
  }

  return {
    async listProducts({ account }: Writer, query: ProductQuery): Promise<Rows<Product>> {
      const filter = filterOf(query)
      const few =
        filter.conditions.length === 0
          ? countFewOfAll(connection, account, SORTS[(query.sort ?? NEWEST_PRODUCTS).by].index)
          : countFewProducts(connection, { account, filter, count: 'count(*)' })
      const { rows, total } =
        few === undefined
          ? await scan(account, query, filter)
          : { rows: readPage(query, few), total: few.total }
      return { rows: rows.map(toProduct), total }
    },
  }
}

/** The index of the unique product and variant IDs. */
const PRODUCTS_BY_NUMBER = 'sqlite_autoindex_products_2'

/** The columns of each sort order, as `productPosition` returns their values, and the index that has the rows in this order. */
const SORTS: Record<ProductSort['by'], { index: string; columns: string[] }> = {
  created_at: { index: 'products_newest', columns: ['id'] },
  name: { index: 'products_in_name_order', columns: ['sort_name', 'id'] },
  sku: { index: 'products_in_sku_order', columns: ['sort_sku', 'id'] },
  product_id: { index: PRODUCTS_BY_NUMBER, columns: ['product_id', 'variant_id'] },
}

function orderOf(columns: string[], isDescending: boolean): string {
  return columns.map((column) => `${column} ${isDescending ? 'desc' : 'asc'}`).join(', ')
}

function afterCursor(
  columns: string[],
  { descending }: ProductSort,
  after: Position | undefined,
): Filter {
  if (after === undefined) return { conditions: [], parameters: {} }
  const values = after.map((_, index) => `:after${index}`).join(', ')
  return {
    conditions: [`(${columns.join(', ')}) ${descending ? '<' : '>'} (${values})`],
    parameters: Object.fromEntries(after.map((value, index) => [`after${index}`, value])),
  }
}

const OF_PRODUCT = 'p.account_id = :account and p.product_id = j.value'

const OF_ASSET = `and p.seq in (
  select l.product_seq from assets a join asset_products l on l.asset_seq = a.seq
  where a.account_id = :account and a.id = :of_asset)`

/** The first variants of each product. */
function variantsOf(condition: string): string {
  return `
    select ${PRODUCT_COLUMNS} from (
      select p.*, row_number() over (partition by p.product_id order by p.variant_id) as position
      from json_each(:ids) j cross join products p on ${OF_PRODUCT} ${condition})
    where position <= :variants order by product_id, variant_id`
}

/** The row of a product of the shop in a list that is sorted by its first variant. */
const FIRST_VARIANT = `not exists (select 1 from products earlier
  where earlier.account_id = :account and earlier.product_id = first_variant.product_id
    and earlier.variant_id < first_variant.variant_id)`

/** Lists the products of the shop with their variants. */
export function prepareProductGroups(connection: Connection, longReads: LongReads) {
  const { prepare } = connection
  const filterOf = prepareProductFilter(connection)
  const allVariants = prepare<ProductRow>(variantsOf(''))
  const attachedVariants = prepare<ProductRow>(variantsOf(OF_ASSET))
  const totals = prepare<Pick<GroupRow, 'product_id' | 'variants_total'>>(
    `select j.value as product_id,
       (select count(*) from products p where ${OF_PRODUCT}) as variants_total
     from json_each(:ids) j`,
  )
  // Counting stops after `attachments` rows. `attached` reads one more, which shows whether there are more.
  const totalsWithAssets = prepare<GroupRow>(
    `select j.value as product_id,
       (select count(*) from products p where ${OF_PRODUCT}) as variants_total,
       (select count(*) from (
          select 1 from products p cross join asset_products l on l.product_seq = p.seq
          where ${OF_PRODUCT} limit +:attachments + 1)) as attached,
       (select count(distinct l.asset_seq) from (
          select l.asset_seq from products p cross join asset_products l on l.product_seq = p.seq
          where ${OF_PRODUCT} limit +:attachments) l
        cross join assets a on a.seq = l.asset_seq and a.status = 'ready') as assets
     from json_each(:ids) j`,
  )

  function readPage(
    query: ProductGroupQuery,
    { from, total, ...filter }: FewProducts,
  ): MatchingProduct[] {
    const { sort = LAST_PRODUCT_ID, after, perPage } = query
    const { isFromEnd, offset, limit } =
      after === undefined
        ? rowRangeOf({ page: query.page, perPage }, total)
        : { isFromEnd: false, offset: 0, limit: perPage }
    if (limit === 0) return []
    const isByNumber = sort.by === 'product_id'
    const columns = isByNumber ? ['productId'] : SORTS[sort.by].columns
    const cursor = afterCursor(columns, sort, after)
    const matching = `select product_id as productId, count(*) as matching ${from}
      where ${filter.conditions.join(' and ') || 'true'} group by product_id`
    const withFirst = `select productId, matching, ${columns.join(', ')}
      from (${matching}) cross join products first_variant
      where account_id = :account and product_id = productId and ${FIRST_VARIANT}`
    const page = prepare<ListedProduct>(
      `select * from (${isByNumber ? matching : withFirst})
       where ${cursor.conditions.join() || 'true'}
       order by ${orderOf(columns, sort.descending !== isFromEnd)} limit +:limit offset :offset`,
    )
    const rows = page
      .all({ ...filter.parameters, ...cursor.parameters, limit, offset })
      .map((row) => toMatching(row, sort))
    return isFromEnd ? rows.reverse() : rows
  }

  /** In the order of the product IDs, all variants of a product follow each other. */
  function scanByNumber(
    account: string,
    query: ProductGroupQuery,
    filter: ProductFilter,
  ): Promise<Rows<MatchingProduct>> {
    const { sort = LAST_PRODUCT_ID, after } = query
    // No variant has a smaller or a larger ID.
    const last = sort.descending ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
    const list: Scan = {
      account,
      table: 'products',
      index: PRODUCTS_BY_NUMBER,
      own: 'account_id = :account',
      order: ['product_id', 'variant_id'],
      descending: sort.descending,
      filter,
      after: after && [...after, last],
      groupBy: 'product_id',
    }
    return longReads.snapshots.read(account, async (snapshot) => {
      const { runStep } = longReads
      const { found, total } = await scanPage(snapshot, runStep, { scan: list, page: query })
      return { rows: found.map(({ key, rows }) => ({ productId: key, matching: rows })), total }
    })
  }

  /** Reads the first variants, and looks for other variants that match. */
  function scanByFirst(
    account: string,
    query: ProductGroupQuery & { sort: ProductSort },
    { conditions, parameters }: ProductFilter,
  ): Promise<Rows<MatchingProduct>> {
    const { sort, after } = query
    const { index, columns } = SORTS[sort.by]
    const matching = `from products indexed by ${PRODUCTS_BY_NUMBER} where products.account_id = :account
      and ${['products.product_id = first_variant.product_id', ...conditions].join(' and ')}`
    const list: Scan = {
      account,
      table: 'products',
      alias: 'first_variant',
      index,
      own: 'account_id = :account',
      order: columns,
      descending: sort.descending,
      filter: {
        conditions: [
          FIRST_VARIANT,
          ...(conditions.length === 0 ? [] : [`exists (select 1 ${matching})`]),
        ],
        parameters,
      },
      after,
    }
    return longReads.snapshots.read(account, async (snapshot) => {
      const { runStep } = longReads
      const { found, total } = await scanPage(snapshot, runStep, { scan: list, page: query })
      const seqs = found.map(({ key }) => key)
      const read = snapshot.prepare<ListedProduct & { seq: number }>(
        `select seq, product_id as productId, (select count(*) ${matching}) as matching,
           ${columns.join(', ')}
         from products first_variant where seq in (select value from json_each(:seqs))`,
      )
      const rows = await runStep(account, () =>
        read.all({ account, ...parameters, seqs: JSON.stringify(seqs) }),
      )
      const sorted = inOrderOf(seqs, rows, ({ seq }) => seq)
      return { rows: sorted.map((row) => toMatching(row, sort)), total }
    })
  }

  return {
    listProductIds(
      { account }: Writer,
      query: ProductGroupQuery,
    ): Rows<MatchingProduct> | Promise<Rows<MatchingProduct>> {
      const filter = filterOf(query)
      const count = 'count(distinct product_id)'
      const few = countFewProducts(connection, { account, filter, count })
      if (few !== undefined) return { rows: readPage(query, few), total: few.total }
      const { sort = LAST_PRODUCT_ID } = query
      return sort.by === 'product_id'
        ? scanByNumber(account, query, filter)
        : scanByFirst(account, { ...query, sort }, filter)
    },

    readProductGroups(
      { account }: Writer,
      productIds: number[],
      options: Parameters<AccountData['readProductGroups']>[1],
    ): ProductGroup[] {
      const { variants, attachments, ofAsset } = options
      const ids = JSON.stringify(productIds)
      const rows =
        ofAsset === undefined
          ? allVariants.all({ account, ids, variants })
          : attachedVariants.all({ account, ids, variants, of_asset: ofAsset })
      const counted =
        ofAsset === undefined
          ? totalsWithAssets.all({ account, ids, attachments })
          : totals.all({ account, ids })
      return toProductGroups(productIds, { rows, totals: counted }, options)
    },
  }
}

/** A product in a list, with the columns by which it is sorted. */
type ListedProduct = MatchingProduct & Record<string, string | number>

function toMatching(row: ListedProduct, { by }: ProductSort): MatchingProduct {
  const { productId, matching } = row
  if (by === 'product_id') return { productId, matching }
  return { productId, matching, position: SORTS[by].columns.map((column) => row[column] ?? '') }
}

/** The filters that an index answers: how it finds the products, and how one product is checked. */
const INDEXED = {
  product_id: equal('product_id', { index: PRODUCTS_BY_NUMBER }),
  variant_id: equal('variant_id', { index: 'products_by_variant' }),
  sku: equal('sku', { index: 'products_by_sku' }),
  vendor: equal('search_vendor', { index: 'products_by_vendor', parameter: 'vendor' }),
  tag: {
    found: `product_tags t cross join products on products.seq = t.product_seq
      where t.account_id = :account and t.tag = :tag`,
    condition: `exists (select 1 from product_tags t
      where t.account_id = :account and t.tag = :tag and t.product_seq = products.seq)`,
  },
  of_asset: {
    found: `assets a cross join asset_products l on l.asset_seq = a.seq
      cross join products on products.seq = l.product_seq
      where a.account_id = :account and a.id = :of_asset`,
    condition: `exists (select 1 from assets a cross join asset_products l
        on l.asset_seq = a.seq and l.product_seq = products.seq
      where a.account_id = :account and a.id = :of_asset)`,
  },
}

/** Names the index: to avoid sorting, SQLite would read all products of the account in the order of the list. */
function equal(
  column: string,
  { index, parameter = column }: { index: string; parameter?: string },
) {
  const condition = `${column} = :${parameter}`
  const found = `products indexed by ${index}
    where account_id = :account and ${condition}`
  return { found, condition }
}

/** Whether a ready asset is attached to the product. */
const HAS_ASSETS = `exists (select 1 from asset_products l cross join assets a on a.seq = l.asset_seq
  where l.product_seq = products.seq and a.status = 'ready')`

const OWN = 'products where account_id = :account'

interface ProductFilter extends Filter {
  /** Ways to find products by an index. All matches are among the products of each. */
  candidates: Candidates[]
}

interface Candidates {
  /** `products where …`, or a join. */
  found: string
  /** The condition that all of them meet. */
  condition?: string
}

function prepareProductFilter(connection: Connection) {
  const byTexts = prepareNameFilter(connection)
  return (query: Omit<ProductQuery, 'after'>): ProductFilter => {
    const { conditions, parameters, found } = byTexts(query)
    const values = {
      product_id: query.productId,
      variant_id: query.variantId,
      sku: query.sku,
      of_asset: query.ofAsset,
      tag: query.tag,
      vendor: query.vendor,
    }
    const candidates: Candidates[] = []
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue
      const indexed = INDEXED[name as keyof typeof values]
      candidates.push(indexed)
      conditions.push(indexed.condition)
      parameters[name] = value
    }
    if (query.hasAssets !== undefined) {
      conditions.push(query.hasAssets ? HAS_ASSETS : `not ${HAS_ASSETS}`)
    }
    if (found !== undefined) return { candidates: [{ found }], conditions, parameters }
    return {
      candidates: candidates.length > 0 ? candidates : [{ found: OWN }],
      conditions,
      parameters,
    }
  }
}

/** The products that an index finds, of which those that meet the conditions match. */
interface FewProducts {
  from: string
  conditions: string[]
  parameters: Filter['parameters']
  total: number
}

/** Counts the matches, if few products have to be checked. */
function countFewProducts(
  connection: Connection,
  { account, filter, count }: { account: string; filter: ProductFilter; count: string },
): FewProducts | undefined {
  const parameters = { account, ...filter.parameters }
  for (const { found, condition } of filter.candidates) {
    const conditions = filter.conditions.filter((one) => one !== condition)
    const rows = { from: found, table: 'products', conditions, count }
    const total = countFew(connection, rows, parameters)
    if (total === undefined) continue
    return {
      from: `from (select products.* from ${found}) products`,
      conditions,
      parameters,
      total,
    }
  }
  return undefined
}

/** All products of the account, if they are few. */
function countFewOfAll(
  connection: Connection,
  account: string,
  index: string,
): FewProducts | undefined {
  const rows = { from: OWN, table: 'products', conditions: [] }
  const total = countFew(connection, rows, { account })
  if (total === undefined) return undefined
  return {
    from: `from (select * from products indexed by ${index} where account_id = :account) products`,
    conditions: [],
    parameters: { account },
    total,
  }
}
