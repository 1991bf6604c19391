import { rowRangeOf } from '../../domain/paging.ts'
import type { ProductGroup } from '../../domain/product-group.ts'
import type { AccountData, ProductGroupQuery, Rows } from '../account-data.ts'
import {
  countFewProducts,
  PRODUCTS_BY_NUMBER,
  type ProductFilter,
  prepareProductFilter,
} from './product-filter.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import { type LongReads, type Scan, scanPage } from './scan.ts'
import type { Connection } from './statement.ts'

interface GroupRow {
  product_id: number
  variants_total: number
  attached: number
  assets: number
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
    account: string,
    query: ProductGroupQuery,
    { filter, from, total }: { filter: ProductFilter; from: string; total: number },
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
    const rows = page.all({ account, ...filter.parameters, ...cursor, limit, offset })
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
      account: string,
      query: ProductGroupQuery,
    ): Rows<MatchingProduct> | Promise<Rows<MatchingProduct>> {
      const filter = filterOf(query)
      const count = 'count(distinct product_id)'
      const few = countFewProducts(connection, { account, filter, count })
      if (few === undefined) return scan(account, query, filter)
      return { rows: readPage(account, query, { filter, ...few }), total: few.total }
    },

    readProductGroups(
      account: string,
      productIds: number[],
      { variants, attachments, ofAsset }: Parameters<AccountData['readProductGroups']>[1],
    ): ProductGroup[] {
      const ids = JSON.stringify(productIds)
      const rows =
        ofAsset === undefined
          ? allVariants.all({ account, ids, variants })
          : attachedVariants.all({ account, ids, variants, of_asset: ofAsset })
      const counted =
        ofAsset === undefined
          ? totalsWithAssets.all({ account, ids, attachments })
          : totals.all({ account, ids })
      return groupsOf(rows, counted, attachments)
    },
  }
}

function groupsOf(
  rows: ProductRow[],
  counted: (Pick<GroupRow, 'product_id' | 'variants_total'> & Partial<GroupRow>)[],
  attachments: number,
): ProductGroup[] {
  const totals = new Map(counted.map((row) => [row.product_id, row]))
  return [...Map.groupBy(rows, (row) => row.product_id)].map(([productId, variants]) => {
    const { variants_total = variants.length, attached, assets } = totals.get(productId) ?? {}
    const isCounted = attached !== undefined && assets !== undefined
    return {
      productId,
      variants: variants.map(toProduct),
      variantsTotal: variants_total,
      ...(isCounted && { assetsTotal: attached > attachments ? null : assets }),
    }
  })
}
