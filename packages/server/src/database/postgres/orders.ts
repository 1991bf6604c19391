import type { Order, OrderStatus } from '../../domain/order.ts'
import { type Cursor, rowRangeOf } from '../../domain/paging.ts'
import { TRIGRAM_LENGTH } from '../../domain/search.ts'
import type { Rows } from '../account-data.ts'
import type { OrderQuery } from '../order-data.ts'
import {
  boundedRows,
  MAX_SMALL_RESULT,
  MAX_START_ORDERS,
  mayHaveBounds,
  START_ROWS,
  startOf,
} from '../shared/listing.ts'
import { type OrderRow, toOrder } from '../shared/order-rows.ts'
import { orderColumns } from '../shared/order-statements.ts'
import { awaitSteps, type SharedWork, type Step } from '../shared/steps.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import { allOf, execute, type Fragment, inSnapshot, type Sql } from './connection.ts'
import { recordEvent } from './events.ts'
import { POSTGRES } from './rows.ts'
import { contains } from './search.ts'

/** Runs a unit of work that both engines share, in the caller's transaction. */
export function performWork<Result>(
  sql: Sql,
  writer: Writer,
  work: SharedWork<Result>,
): Promise<Result> {
  const perform = async (step: Step): Promise<unknown> =>
    step.kind === 'event'
      ? recordEvent(sql, writer, step.type, step.data)
      : execute(sql, step.statement, step.values)
  return awaitSteps(work, perform)
}

interface StartRow {
  scanned: number
  matches: number
  all_rows: number
}

const COLUMNS = orderColumns(POSTGRES)

export function accountOrderList(sql: Sql, account: string): AccountMethods['orderList'] {
  const all = sql`(select order_count from accounts where id = ${account})`

  /** All matches, if one of the indexes or reading all orders finds few. Undefined if there are many. */
  async function findFew(
    query: OrderQuery,
    candidates: Fragment,
    filtered: Fragment,
  ): Promise<Rows<Order> | undefined> {
    const { limit, offset } = startOf(query)
    const { columns, order, afterCursor } = sortOf(sql, query)
    const ids = sql`array(select id from candidates)`
    const rows = await sql<(OrderRow & FewRow)[]>`
      with candidates as materialized (${candidates} limit ${MAX_SMALL_RESULT + 1}),
      counted as materialized (select count(*) as candidates from candidates),
      found as materialized (
        select ${columns} from orders o
        where (select candidates from counted) <= ${MAX_SMALL_RESULT} and o.id = any(${ids}) and ${filtered})
      select counted.candidates, (select count(*) from found) as total, ${sql.unsafe(COLUMNS)}
      from counted left join orders o on o.id = any(array(
        select o.id from found o where true ${afterCursor} order by ${order}
        limit ${limit} offset ${Math.min(offset, MAX_SMALL_RESULT)}))
      order by ${order}`
    const [first] = rows
    if (first === undefined || first.candidates > MAX_SMALL_RESULT) return undefined
    return { rows: rows.filter(({ id }) => id !== null).map(toOrder), total: first.total }
  }

  /** Looks at the first rows only. Undefined if the page is not among them, or if the list is short. */
  async function readStart(
    query: OrderQuery,
    filtered: Fragment,
  ): Promise<Rows<Order> | undefined> {
    const { limit, offset } = startOf(query)
    const { columns, order, afterCursor } = sortOf(sql, query)
    const own = sql`o.account_id = ${account} ${afterCursor}`
    for (const most of [START_ROWS, MAX_START_ORDERS]) {
      const rows = await sql<(OrderRow & StartRow)[]>`
        with scanned as materialized (
          select ${columns}, (${filtered}) as matches from orders o
          where ${all} > ${MAX_START_ORDERS} and ${own} order by ${order} limit ${most})
        select start.*, ${all} as all_rows, ${sql.unsafe(COLUMNS)}
        from (select count(*) as scanned, count(*) filter (where matches) as matches from scanned) start
        left join orders o on o.id = any(array(
          select o.id from scanned o where o.matches order by ${order} limit ${limit} offset ${offset}))
        order by ${order}`
      const [start] = rows
      // The list is short, or ends here.
      if (start === undefined || start.scanned < most) return undefined
      if (start.matches > offset + limit) {
        return boundedRows(rows.map(toOrder), { ...start, all: start.all_rows })
      }
    }
    return undefined
  }

  /** Skips rows from the nearer end of the list. Only the rows of the page are read with their lines. */
  function countRows(query: OrderQuery, filter: Fragment[]): Promise<Rows<Order>> {
    const filtered = allOf(sql, [sql`o.account_id = ${account}`, ...filter])
    return inSnapshot(sql, async () => {
      const counted = await (filter.length === 0
        ? sql<{ total: number }[]>`select ${all} as total`
        : sql<{ total: number }[]>`select count(*) as total from orders o where ${filtered}`)
      const total = counted[0]?.total ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0 || total === 0) return { rows: [], total }
      const { by, descending } = query.sort
      const sort = { by, descending: descending !== isFromEnd }
      const { order, afterCursor } = sortOf(sql, { ...query, sort })
      const rows = await sql<OrderRow[]>`
        select ${sql.unsafe(COLUMNS)} from orders o where o.id = any(array(
          select o.id from orders o where ${filtered} ${afterCursor}
          order by ${order} limit ${limit} offset ${offset}))
        order by ${order}`
      const found = rows.map(toOrder)
      return { rows: isFromEnd ? found.reverse() : found, total }
    })
  }

  return {
    async listOrders(query) {
      const filter = conditionsOf(sql, account, { query, orders: 'some' })
      // The index of the numbers finds them all.
      if (filter.length === 0 || query.number !== undefined) return countRows(query, filter)
      const own = sql`o.account_id = ${account}`
      const filtered = allOf(sql, [own, ...filter])
      const indexed = candidatesOf(sql, account, query)
      for (const candidates of indexed) {
        const found = await findFew(query, candidates, filtered)
        if (found !== undefined) return found
      }
      const start = mayHaveBounds(query) ? await readStart(query, filtered) : undefined
      if (start !== undefined) return start
      if (indexed.length === 0) {
        // If few match, one read of all orders finds and counts them.
        const found = await findFew(query, sql`select o.id from orders o where ${filtered}`, own)
        if (found !== undefined) return found
      }
      return countRows(query, conditionsOf(sql, account, { query, orders: 'all' }))
    },
  }
}

interface FewRow {
  candidates: number
  total: number
}

/** The order of a list, and the condition of the rows after its cursor. `o` is the name of the table in the statement. */
function sortOf(sql: Sql, { sort, after }: Pick<OrderQuery, 'sort' | 'after'>) {
  const value = { created_at: null, ordered_at: 'ordered_at', order_number: 'sort_number' }[sort.by]
  const column = value === null ? undefined : sql`o.${sql(value)}`
  const direction = sort.descending ? sql`desc` : sql`asc`
  const operator = sort.descending ? sql`<` : sql`>`
  const isAfter = (cursor: Cursor) =>
    column === undefined
      ? sql`and o.id ${operator} ${cursor.id}`
      : sql`and (${column}, o.id) ${operator} (${cursorValue(cursor)}, ${cursor.id}::uuid)`
  return {
    columns: column === undefined ? sql`o.id` : sql`${column}, o.id`,
    order:
      column === undefined
        ? sql`o.id ${direction}`
        : sql`${column} ${direction}, o.id ${direction}`,
    afterCursor: after === undefined ? sql`` : isAfter(after),
  }
}

/** The conditions of the filters, for a statement that compares some or all orders with them. */
function conditionsOf(
  sql: Sql,
  account: string,
  { query, orders }: { query: OrderQuery; orders: 'some' | 'all' },
): Fragment[] {
  const { words = [], number, status, source, asset, productId } = query
  const conditions = words.map((word) => contains(sql, sql`o.search_text`, word))
  if (number !== undefined) conditions.push(sql`o.order_number = ${number}`)
  if (status !== undefined) conditions.push(hasStatus(sql, status))
  if (source !== undefined) conditions.push(sql`o.source = ${source}`)
  if (asset !== undefined) {
    conditions.push(
      orders === 'all'
        ? sql`o.id = any(array(${ordersWith(sql, account, asset)}))`
        : coversAsset(sql, account, asset),
    )
  }
  if (productId !== undefined) {
    conditions.push(sql`exists (
      select from order_lines ol where ol.order_id = o.id and ol.product_id = ${productId})`)
  }
  return conditions
}

/** Queries for the IDs of all orders that match the filter, and perhaps of others. Each reads one index. */
function candidatesOf(sql: Sql, account: string, query: OrderQuery): Fragment[] {
  const { words = [], status, source, asset, productId } = query
  const own = sql`o.account_id = ${account}`
  const candidates: Fragment[] = []
  const found = words.filter((word) => [...word].length >= TRIGRAM_LENGTH)
  if (found.length > 0) {
    const conditions = found.map((word) => contains(sql, sql`o.search_text`, word))
    candidates.push(sql`select o.id from orders o where ${allOf(sql, [own, ...conditions])}`)
  }
  const ofState =
    status === 'held'
      ? sql`o.held`
      : status === 'revoked'
        ? sql`o.revoked_at is not null`
        : status === 'expired'
          ? sql`o.expires_at is not null`
          : undefined
  if (ofState) candidates.push(sql`select o.id from orders o where ${own} and ${ofState}`)
  if (source === 'manual') {
    candidates.push(sql`select o.id from orders o where ${own} and o.source = 'manual'`)
  }
  if (productId !== undefined) {
    candidates.push(sql`
      select ol.order_id as id from order_lines ol
      where ol.account_id = ${account} and ol.product_id = ${productId}`)
  }
  if (asset !== undefined) candidates.push(ordersWith(sql, account, asset))
  return candidates
}

/** The variants that an asset is attached to, as a part of a query. */
function variantsWith(sql: Sql, account: string, asset: string): Fragment {
  return sql`from asset_products l join products p on p.id = l.product_id
    where l.asset_id = ${asset} and p.account_id = ${account}`
}

/** A query for the IDs of the orders that cover an asset, some of them several times. */
function ordersWith(sql: Sql, account: string, asset: string): Fragment {
  return sql`
    select oa.order_id as id from order_assets oa where oa.asset_id = ${asset}
    union all
    select ol.order_id from (select distinct p.product_id ${variantsWith(sql, account, asset)}) own
    join order_lines ol on ol.account_id = ${account} and ol.product_id = own.product_id
    where ${lineCovers(sql, account, asset)}`
}

/** A condition: the order `o` covers an asset. Without the offset, PostgreSQL would read the lines of all orders first. */
function coversAsset(sql: Sql, account: string, asset: string): Fragment {
  return sql`(
    exists (select from order_assets oa where oa.order_id = o.id and oa.asset_id = ${asset})
    or exists (
      select from order_lines ol
      where ol.order_id = o.id and ${lineCovers(sql, account, asset)} offset 0))`
}

/** A condition: the line `ol` covers an asset. Its variants do not depend on the line, so PostgreSQL reads them once. */
function lineCovers(sql: Sql, account: string, asset: string): Fragment {
  const variants = variantsWith(sql, account, asset)
  return sql`ol.quantity > ol.refunded and case when ol.variant_id is null
    then ol.product_id in (select p.product_id ${variants})
    else (ol.product_id, ol.variant_id) in (select p.product_id, p.variant_id ${variants}) end`
}

function cursorValue({ value = '' }: Cursor): Date | string {
  return typeof value === 'number' ? new Date(value) : value
}

function hasStatus(sql: Sql, status: OrderStatus): Fragment {
  const isExpired = sql`(o.expires_at is not null and o.expires_at <= clock_timestamp())`
  const isOpen = sql`o.revoked_at is null and not o.held`
  switch (status) {
    case 'revoked':
      return sql`o.revoked_at is not null`
    case 'held':
      return sql`(o.revoked_at is null and o.held)`
    case 'expired':
      return sql`(${isOpen} and ${isExpired})`
    default:
      return sql`(${isOpen} and not ${isExpired})`
  }
}
