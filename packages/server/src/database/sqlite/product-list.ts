import { rowRangeOf } from '../../domain/paging.ts'
import type { Product, ProductGroup } from '../../domain/product.ts'
import type { AccountData, ProductGroupQuery, ProductQuery, Rows } from '../account-data.ts'
import { type GroupRow, toProduct, toProductGroups } from '../shared/product-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import { PRODUCT_COLUMNS, type ProductRow } from './rows.ts'
import { countAll, countFew, type LongReads, type Scan, scanList, scanPage } from './scan.ts'
import { type Filter, prepareNameFilter } from './search.ts'

export function prepareProductList(connection: Connection, longReads: LongReads) {
  const filterOf = prepareProductFilter(connection)

  function readPage(query: ProductQuery, { from, total, ...filter }: FewProducts): ProductRow[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { after } = query
    const conditions = [...filter.conditions, ...(after === undefined ? [] : ['id < :after'])]
    const page = connection.prepare<ProductRow>(
      `select ${PRODUCT_COLUMNS} ${from} where ${conditions.join(' and ') || 'true'}
       order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
    )
    const cursor = after && { after: after.id }
    const rows = page.all({ ...filter.parameters, ...cursor, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scan(
    account: string,
    query: ProductQuery,
    filter: ProductFilter,
  ): Promise<Rows<ProductRow>> {
    const list: Scan = {
      account,
      table: 'products',
      index: 'products_newest',
      own: 'account_id = :account',
      order: ['id'],
      descending: true,
      filter,
      after: query.after && [query.after.id],
    }
    return scanList(longReads, { scan: list, page: query, columns: PRODUCT_COLUMNS })
  }

  return {
    async listProducts({ account }: Writer, query: ProductQuery): Promise<Rows<Product>> {
      const filter = filterOf(query)
      const few =
        filter.conditions.length === 0
          ? countProducts(connection, account)
          : countFewProducts(connection, { account, filter, count: 'count(*)' })
      const { rows, total } =
        few === undefined
          ? await scan(account, query, filter)
          : { rows: readPage(query, few), total: few.total }
      return { rows: rows.map(toProduct), total }
    },
  }
}

interface MatchingProduct {
  productId: number
  matching: number
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
    where position <= :variants order by product_id desc, variant_id`
}

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
    const { after, perPage } = query
    const { isFromEnd, offset, limit } =
      after === undefined
        ? rowRangeOf({ page: query.page, perPage }, total)
        : { isFromEnd: false, offset: 0, limit: perPage }
    if (limit === 0) return []
    const cursor = after !== undefined && { after }
    const conditions = [...filter.conditions, ...(cursor ? ['product_id < :after'] : [])]
    const page = prepare<MatchingProduct>(
      `select product_id as productId, count(*) as matching
       ${from} where ${conditions.join(' and ') || 'true'}
       group by product_id order by product_id ${isFromEnd ? 'asc' : 'desc'}
       limit +:limit offset :offset`,
    )
    const rows = page.all({ ...filter.parameters, ...cursor, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scan(
    account: string,
    query: ProductGroupQuery,
    filter: ProductFilter,
  ): Promise<Rows<MatchingProduct>> {
    const list: Scan = {
      account,
      table: 'products',
      index: PRODUCTS_BY_NUMBER,
      own: 'account_id = :account',
      order: ['product_id', 'variant_id'],
      descending: true,
      filter,
      // No variant has a smaller ID.
      after: query.after === undefined ? undefined : [query.after, Number.MIN_SAFE_INTEGER],
      groupBy: 'product_id',
    }
    return longReads.snapshots.read(account, async (snapshot) => {
      const { runStep } = longReads
      const { found, total } = await scanPage(snapshot, runStep, { scan: list, page: query })
      return { rows: found.map(({ key, rows }) => ({ productId: key, matching: rows })), total }
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
      if (few === undefined) return scan(account, query, filter)
      return { rows: readPage(query, few), total: few.total }
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
      return toProductGroups(rows, counted, options)
    },
  }
}

/** The index of the unique product and variant IDs. */
const PRODUCTS_BY_NUMBER = 'sqlite_autoindex_products_2'

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

/** All products of the account. */
function countProducts(connection: Connection, account: string): FewProducts {
  const total = countAll(connection, OWN, account)
  return {
    from: `from (select * from ${OWN}) products`,
    conditions: [],
    parameters: { account },
    total,
  }
}
