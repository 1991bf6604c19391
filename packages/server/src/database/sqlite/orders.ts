import type { Order } from '../../domain/order.ts'
import type { Rows } from '../account-data.ts'
import type { OrderQuery } from '../order-data.ts'
import { type OrderRow, toOrder } from '../shared/order-rows.ts'
import { coversAsset, orderColumns } from '../shared/order-statements.ts'
import { runSteps, type SharedWork, type Step } from '../shared/steps.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { SQLITE } from './rows.ts'
import { type LongReads, type Scan, scanList } from './scan.ts'
import type { Filter } from './search.ts'

/** Runs units of work that both engines share. */
export function prepareSharedWork(connection: Connection) {
  const { recordEvent } = prepareRecordEvents(connection)
  return <Result>(writer: Writer, work: SharedWork<Result>): Result => {
    const perform = (step: Step): unknown =>
      step.kind === 'event'
        ? recordEvent(writer, step.type, step.data)
        : connection.execute(step.statement, step.values)
    return connection.transaction(() => runSteps(work, perform))
  }
}

const COLUMNS = `o.seq, ${orderColumns(SQLITE)}`

export function prepareOrderList(longReads: LongReads) {
  return {
    async listOrders({ account }: Writer, query: OrderQuery): Promise<Rows<Order>> {
      const { number, sort, after } = query
      const { index, order } = orderOf(query)
      const scan: Scan = {
        account,
        table: 'orders',
        alias: 'o',
        index,
        own: `account_id = :account${number === undefined ? '' : ' and order_number = :order_number'}`,
        order,
        descending: sort.descending,
        filter: filterOf(query),
        after: after && [...(after.value === undefined ? [] : [after.value]), after.id],
      }
      const page = { scan, page: query, columns: COLUMNS }
      const { rows, total } = await scanList<OrderRow & { seq: number }>(longReads, page)
      return { rows: rows.map(toOrder), total }
    },
  }
}

/** The index with the rows in this order. All orders with one number have the same number. */
function orderOf({ sort: { by }, number }: OrderQuery): Pick<Scan, 'index' | 'order'> {
  if (by === 'ordered_at') return { index: 'orders_by_time', order: ['ordered_at', 'id'] }
  if (number !== undefined) return { index: 'orders_by_number', order: ['id'] }
  if (by === 'created_at') return { index: 'orders_newest', order: ['id'] }
  return { index: 'orders_in_number_order', order: ['sort_number', 'id'] }
}

/** The conditions of a status, in a statement about `orders o` at `:clock`. */
const IS_EXPIRED = '(o.expires_at is not null and o.expires_at <= :clock)'
const OF_STATUS = {
  revoked: 'o.revoked_at is not null',
  held: 'o.revoked_at is null and o.held = 1',
  expired: `o.revoked_at is null and o.held = 0 and ${IS_EXPIRED}`,
  active: `o.revoked_at is null and o.held = 0 and not ${IS_EXPIRED}`,
}

function filterOf(query: OrderQuery): Filter {
  const { words = [], number, status, source, asset, productId } = query
  const conditions: string[] = []
  const parameters: Filter['parameters'] = { clock: Date.now() }
  for (const [index, word] of words.entries()) {
    conditions.push(`instr(o.search_text, :word${index}) > 0`)
    parameters[`word${index}`] = word
  }
  if (number !== undefined) parameters.order_number = number
  if (status !== undefined) conditions.push(OF_STATUS[status])
  if (source !== undefined) {
    conditions.push('o.source = :source')
    parameters.source = source
  }
  if (asset !== undefined) {
    conditions.push(coversAsset(SQLITE, ':asset'))
    parameters.asset = asset
  }
  if (productId !== undefined) {
    conditions.push(
      'exists (select 1 from order_lines ol where ol.order_id = o.id and ol.product_id = :product)',
    )
    parameters.product = productId
  }
  return { conditions, parameters }
}
