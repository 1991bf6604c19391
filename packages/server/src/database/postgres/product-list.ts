import { rowRangeOf } from '../../domain/paging.ts'
import {
  LAST_PRODUCT_ID,
  NEWEST_PRODUCTS,
  type Position,
  type ProductSort,
} from '../../domain/product-sort.ts'
import type { MatchingProduct, ProductQuery, Rows } from '../account-data.ts'
import { MAX_SKIPPED_ROWS } from '../shared/listing.ts'
import {
  type GroupRow,
  PRODUCT_COLUMNS,
  type ProductRow,
  toProduct,
  toProductGroups,
} from '../shared/product-rows.ts'
import type { AccountMethods } from '../shared/wire-account-data.ts'
import { allOf, type Fragment, inSnapshot, readPageWithTotal, type Sql } from './connection.ts'
import { contains } from './search.ts'

export function accountProductList(sql: Sql, account: string): AccountMethods['productList'] {
  return {
    async listProducts(query) {
      const filtered = productFilter(sql, account, query)
      const { sort = NEWEST_PRODUCTS } = query
      const { rows, total } = await readSorted<ProductRow>(sql, query, {
        count: sql`select count(*) as total from products where ${filtered}`,
        page: sql`select ${sql(PRODUCT_COLUMNS)}, ${sortColumns(sql, sort.by)} from products
          where ${filtered}`,
        sort,
        values: SORTS[sort.by](sql),
      })
      return { rows: rows.map(toProduct), total }
    },
  }
}

/**
 * The columns by which a list is sorted. An index has the rows in each order; `productPosition` returns the same
 * values.
 */
const SORTS: Record<ProductSort['by'], (sql: Sql) => Fragment[]> = {
  created_at: (sql) => [sql`id`],
  name: (sql) => [sql`left(search_name, 200)`, sql`id`],
  sku: (sql) => [sql`left(search_sku, 200)`, sql`id`],
  product_id: (sql) => [sql`product_id`, sql`variant_id`],
}

function sortColumns(sql: Sql, by: ProductSort['by']): Fragment {
  return listOf(
    sql,
    SORTS[by](sql).map((value, index) => sql`${value} as ${sql(`sort${index}`)}`),
  )
}

function listOf(sql: Sql, fragments: Fragment[]): Fragment {
  return fragments.reduce((all, fragment) => sql`${all}, ${fragment}`)
}

interface SortedList {
  /** Selects the `total`. */
  count: Fragment
  /** Selects the rows, with their sort values as `sort0` and `sort1`. It ends with a condition. */
  page: Fragment
  sort: Pick<ProductSort, 'descending'>
  /** The sort values in terms of the rows that `page` reads. */
  values: Fragment[]
}

/** Reads a page and the total of a list. A page far from the start is read from the nearer end. */
async function readSorted<Row extends object>(
  sql: Sql,
  { page: number, perPage, after }: ProductQuery,
  { count, page, sort: { descending }, values }: SortedList,
): Promise<Rows<Row>> {
  const names = values.map((_, index) => sql`${sql(`sort${index}`)}`)
  const orderBy = (columns: Fragment[], isDescending: boolean) =>
    listOf(
      sql,
      columns.map((column) => sql`${column} ${isDescending ? sql`desc` : sql`asc`}`),
    )
  const offset = after === undefined ? (number - 1) * perPage : 0
  if (offset <= MAX_SKIPPED_ROWS) {
    const rest =
      after === undefined ? sql`` : sql`and ${afterCursor(sql, { values, after, descending })}`
    return readPageWithTotal<Row>(sql, {
      count,
      page: sql`${page} ${rest} order by ${orderBy(values, descending)} limit ${perPage} offset ${offset}`,
      order: orderBy(names, descending),
    })
  }
  return inSnapshot(sql, async () => {
    const [counted] = await sql<{ total: number }[]>`${count}`
    const total = counted?.total ?? 0
    const { isFromEnd, offset, limit } = rowRangeOf({ page: number, perPage }, total)
    if (limit === 0) return { rows: [], total }
    const found = await sql<Row[]>`
      ${page} order by ${orderBy(values, descending !== isFromEnd)} limit ${limit} offset ${offset}`
    const rows = [...found]
    return { rows: isFromEnd ? rows.reverse() : rows, total }
  })
}

function afterCursor(
  sql: Sql,
  { values, after, descending }: { values: Fragment[]; after: Position; descending: boolean },
): Fragment {
  const position = listOf(
    sql,
    after.map((value) => sql`${value}`),
  )
  return sql`(${listOf(sql, values)}) ${descending ? sql`<` : sql`>`} (${position})`
}

type ProductIdRow = MatchingProduct & { sort0: string | number; sort1?: string }

/** Lists the products of the shop with their variants. */
export function accountProductGroups(sql: Sql, account: string): AccountMethods['productGroups'] {
  /** All products that match, in the order of their product IDs. */
  function listedByNumber(filtered: Fragment): Pick<SortedList, 'page' | 'values'> {
    return {
      page: sql`
        select "productId", matching, "productId" as sort0 from (
          select product_id as "productId", count(*) as matching from products
          where ${filtered} group by product_id) grouped
        where true`,
      values: [sql`"productId"`],
    }
  }

  /** All products that match, with the sort values of their first variants, even if these do not match. */
  function listedByFirst(
    filtered: Fragment,
    by: ProductSort['by'],
  ): Pick<SortedList, 'page' | 'values'> {
    const values = SORTS[by](sql)
    return {
      // The limit makes PostgreSQL look up the first variant of each product in the unique index.
      page: sql`
        select * from (
          select grouped."productId", grouped.matching, first_variant.*
          from (
            select product_id as "productId", count(*) as matching from products
            where ${filtered} group by product_id
          ) grouped cross join lateral (
            select ${sortColumns(sql, by)} from products
            where account_id = ${account} and product_id = grouped."productId"
            order by variant_id limit 1
          ) first_variant
        ) listed where true`,
      values: values.map((_, index) => sql`${sql(`sort${index}`)}`),
    }
  }

  return {
    async listProductIds(query) {
      const filtered = productFilter(sql, account, query)
      const { sort = LAST_PRODUCT_ID } = query
      const isByNumber = sort.by === 'product_id'
      const { rows, total } = await readSorted<ProductIdRow>(sql, query, {
        count: sql`select count(distinct product_id) as total from products where ${filtered}`,
        sort,
        ...(isByNumber ? listedByNumber(filtered) : listedByFirst(filtered, sort.by)),
      })
      return {
        rows: rows.map(({ productId, matching, sort0, sort1 }) => ({
          productId,
          matching,
          ...(!isByNumber && { position: sort1 === undefined ? [sort0] : [sort0, sort1] }),
        })),
        total,
      }
    },

    async readProductGroups(productIds, options) {
      const { variants, attachments, ofAsset } = options
      const ids = sql`unnest(${productIds}::bigint[]) as wanted (id)`
      const ofProduct = sql`p.account_id = ${account} and p.product_id = wanted.id`
      const attached =
        ofAsset === undefined
          ? sql``
          : sql`and exists (
              select from assets a join asset_products l on l.asset_id = a.id
              where a.account_id = ${account} and a.id = ${ofAsset} and l.product_id = p.id)`
      const rows = await sql<ProductRow[]>`
        select v.* from ${ids} cross join lateral (
          select ${sql(PRODUCT_COLUMNS)} from products p where ${ofProduct} ${attached}
          order by p.variant_id limit ${variants}) v
        order by v.product_id, v.variant_id`
      const attachedRows = (limit: number) => sql`
        select l.asset_id from products p join asset_products l on l.product_id = p.id
        where ${ofProduct} limit ${limit}`
      // Counting stops after `attachments` rows. `attached` reads one more, which shows whether there are more.
      const counts =
        ofAsset === undefined
          ? sql`(select count(*) from (${attachedRows(attachments + 1)}) l) as attached,
              (select count(distinct l.asset_id) from (${attachedRows(attachments)}) l
                join assets a on a.id = l.asset_id and a.status = 'ready') as assets`
          : sql`null as attached, null as assets`
      const totals = await sql<GroupRow[]>`
        select wanted.id as product_id,
          (select count(*) from products p where ${ofProduct}) as variants_total, ${counts}
        from ${ids}`
      return toProductGroups(productIds, { rows, totals }, options)
    },
  }
}

/** The condition for the rows of products that match the filters of a query. */
function productFilter(sql: Sql, account: string, query: Omit<ProductQuery, 'after'>): Fragment {
  const { words = [], name, sku, productId, variantId, vendor, tag, ofAsset, hasAssets } = query
  const conditions: Fragment[] = [sql`account_id = ${account}`]
  for (const word of words) conditions.push(contains(sql, sql`search_text`, word))
  if (name !== undefined) conditions.push(contains(sql, sql`search_name`, name))
  if (sku !== undefined) conditions.push(sql`sku = ${sku}`)
  if (productId !== undefined) conditions.push(sql`product_id = ${productId}`)
  if (variantId !== undefined) conditions.push(sql`variant_id = ${variantId}`)
  if (vendor !== undefined) conditions.push(sql`search_vendor = ${vendor}`)
  if (tag !== undefined) conditions.push(sql`search_tags @> ${[tag]}::text[]`)
  if (ofAsset !== undefined) {
    conditions.push(sql`id in (
      select l.product_id from assets a join asset_products l on l.asset_id = a.id
      where a.account_id = ${account} and a.id = ${ofAsset})`)
  }
  if (hasAssets !== undefined) {
    conditions.push(sql`${hasAssets ? sql`` : sql`not`} exists (
      select from asset_products l join assets a on a.id = l.asset_id and a.status = 'ready'
      where l.product_id = products.id)`)
  }
  return allOf(sql, conditions)
}
