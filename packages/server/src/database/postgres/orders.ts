import type { OrderStatus } from '../../domain/order.ts'
import type { Cursor } from '../../domain/paging.ts'
import {
  boundedRows,
  MAX_START_ORDERS,
  mayHaveBounds,
  START_ROWS,
  startOf,
} from '../shared/listing.ts'
import { type OrderRow, toOrder } from '../shared/order-rows.ts'
import { coversAsset, orderColumns } from '../shared/order-statements.ts'
import { awaitSteps, type SharedWork, type Step } from '../shared/steps.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import { allOf, execute, type Fragment, readPageWithTotal, type Sql } from './connection.ts'
import { recordEvent } from './events.ts'
import { POSTGRES } from './rows.ts'
import { containing } from './search.ts'

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
const COVERS = coversAsset(POSTGRES, 'filter.asset')

export function accountOrderList(sql: Sql, account: string): AccountMethods['orderList'] {
  return {
    async listOrders(query) {
      const { words = [], number, status, source, asset, productId, after, sort } = query
      const conditions: Fragment[] = [sql`o.account_id = ${account}`]
      for (const word of words) conditions.push(sql`o.search_text like ${containing(word)}`)
      if (number !== undefined) conditions.push(sql`o.order_number = ${number}`)
      if (status !== undefined) conditions.push(hasStatus(sql, status))
      if (source !== undefined) conditions.push(sql`o.source = ${source}`)
      if (asset !== undefined) {
        conditions.push(sql`exists (
          select from (select ${asset}::uuid as asset) filter where ${sql.unsafe(COVERS)})`)
      }
      if (productId !== undefined) {
        conditions.push(sql`exists (
          select from order_lines ol where ol.order_id = o.id and ol.product_id = ${productId})`)
      }
      const filtered = allOf(sql, conditions)
      const all = sql`(select order_count from accounts where id = ${account})`
      const direction = sort.descending ? sql`desc` : sql`asc`
      const value = { created_at: null, ordered_at: 'ordered_at', order_number: 'sort_number' }[
        sort.by
      ]
      const column = value === null ? undefined : sql`o.${sql(value)}`
      const operator = sort.descending ? sql`<` : sql`>`
      const afterCursor =
        after === undefined
          ? sql``
          : column === undefined
            ? sql`and o.id ${operator} ${after.id}`
            : sql`and (${column}, o.id) ${operator} (${cursorValue(after)}, ${after.id}::uuid)`
      const by = column === undefined ? sql`` : sql`${column} ${direction},`
      const offset = after === undefined ? (query.page - 1) * query.perPage : 0
      const sorted = column === undefined ? sql`o.id` : sql`${column}, o.id`
      if (conditions.length > 1 && number === undefined && mayHaveBounds(query)) {
        const { limit } = startOf(query)
        const own = sql`o.account_id = ${account} ${afterCursor}`
        const order = sql`${by} o.id ${direction}`
        for (const most of [START_ROWS, MAX_START_ORDERS]) {
          const rows = await sql<(OrderRow & StartRow)[]>`
            with scanned as materialized (
              select ${sorted}, (${filtered}) as matches from orders o
              where ${all} > ${MAX_START_ORDERS} and ${own} order by ${order} limit ${most})
            select start.*, ${all} as all_rows, ${sql.unsafe(COLUMNS)}
            from (select count(*) as scanned, count(*) filter (where matches) as matches from scanned) start
            left join orders o on o.id = any(array(
              select o.id from scanned o where o.matches order by ${order} limit ${limit} offset ${offset}))
            order by ${order}`
          const [start] = rows
          // The list is short, or ends here.
          if (start === undefined || start.scanned < most) break
          if (start.matches > offset + limit) {
            return boundedRows(rows.map(toOrder), { ...start, all: start.all_rows })
          }
        }
      }
      const { rows, total } = await readPageWithTotal<OrderRow>(sql, {
        count:
          conditions.length === 1
            ? sql`select ${all} as total`
            : sql`select count(*) as total from orders o where ${filtered}`,
        page: sql`
          select ${sql.unsafe(COLUMNS)}, o.sort_number from orders o where ${filtered} ${afterCursor}
          order by ${by} o.id ${direction} limit ${query.perPage}
          offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`,
        order:
          value === null ? sql`id ${direction}` : sql`${sql(value)} ${direction}, id ${direction}`,
      })
      return { rows: rows.map(toOrder), total }
    },
  }
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
