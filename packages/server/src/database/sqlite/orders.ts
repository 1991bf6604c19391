import type { Order } from '../../domain/order.ts'
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
import { runSteps, type SharedWork, type Step } from '../shared/steps.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { SQLITE } from './rows.ts'
import { type LongReads, openScan, readRows, type Scan, scanPage } from './scan.ts'
import { type Filter, matchExpression } from './search.ts'

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

export function prepareOrderList({ snapshots, runStep }: LongReads) {
  /** Through an index, if it finds few orders. The trigram index stores no positions, so the filter checks each again. */
  function findFew(snapshot: Connection, scan: Scan, query: OrderQuery): Found | undefined {
    const { account, filter, order, descending } = scan
    const parameters = { ...filter.parameters, account }
    const few = candidatesOf(query).find(({ text, match }) => {
      const counted = snapshot.prepare<{ count: number }>(
        `select count(*) as count from (${text} limit ${MAX_SMALL_RESULT + 1})`,
      )
      const count = counted.get({ ...parameters, ...(match && { match }) })?.count ?? 0
      return count <= MAX_SMALL_RESULT
    })
    if (few === undefined) return undefined
    const direction = descending ? 'desc' : 'asc'
    const columns = order.map((column) => `o.${column}`)
    const ofNumber = query.number === undefined ? [] : ['o.order_number = :order_number']
    const conditions = ['+o.account_id = :account', ...ofNumber, ...filter.conditions]
    const matching = `from orders o where o.seq in (${few.text}) and ${conditions.join(' and ')}`
    const after = scan.after?.map((_, index) => `:after${index}`).join(', ')
    const isAfter = `(${columns.join(', ')}) ${descending ? '<' : '>'} (${after})`
    const rows = snapshot.prepare<{ seq: number }>(
      `select o.seq ${matching} ${after === undefined ? '' : `and ${isAfter}`}
       order by ${columns.map((column) => `${column} ${direction}`).join(', ')}
       limit +:limit offset :offset`,
    )
    const values = { ...parameters, ...(few.match && { match: few.match }) }
    const position = Object.fromEntries(
      (scan.after ?? []).map((value, index) => [`after${index}`, value]),
    )
    const found = rows.all({ ...values, ...position, ...startOf(query) })
    const total = snapshot.prepare<{ total: number }>(`select count(*) as total ${matching}`)
    return { seqs: found.map(({ seq }) => seq), total: total.get(values)?.total ?? 0 }
  }

  /** Looks at the first rows only. Undefined if the page is not among them. */
  async function readStart(
    snapshot: Connection,
    scan: Scan,
    query: OrderQuery & { all: number },
  ): Promise<Found | undefined> {
    const range = startOf(query)
    const { readNext, result } = openScan(snapshot, { ...scan, ...range, isCounted: true })
    for (let scanned = START_ROWS; scanned <= MAX_START_ORDERS; scanned += START_ROWS) {
      const isOver = await runStep(scan.account, () => readNext(START_ROWS))
      const { found, matches } = result()
      const seqs = found.map(({ key }) => key)
      // The rows before the cursor may match, too.
      if (isOver && scan.after !== undefined) return { seqs, total: query.all, atLeast: matches }
      if (isOver) return { seqs, total: matches }
      if (matches <= range.offset + range.limit) continue
      const { total, atLeast } = boundedRows([], { matches, scanned, all: query.all })
      return { seqs, total, ...(atLeast !== undefined && { atLeast }) }
    }
    return undefined
  }

  async function readAll(snapshot: Connection, scan: Scan, page: OrderQuery, total?: number) {
    const read = await scanPage(snapshot, runStep, { scan, page, total })
    return { seqs: read.found.map(({ key }) => key), total: read.total }
  }

  return {
    listOrders({ account }: Writer, query: OrderQuery): Promise<Rows<Order>> {
      const scan = scanOf(account, query)
      const isFiltered = scan.filter.conditions.length > 0 || query.number !== undefined
      return snapshots.read(account, async (snapshot) => {
        const counted = snapshot.prepare<{ all: number }>(
          'select order_count as "all" from accounts where id = :account',
        )
        const { all = 0 } = counted.get({ account }) ?? {}
        const known = isFiltered ? undefined : all
        const isLong = isFiltered && all > MAX_START_ORDERS
        const few = isLong
          ? await runStep(account, () => findFew(snapshot, scan, query))
          : undefined
        const start =
          isLong && few === undefined && mayHaveBounds(query)
            ? await readStart(snapshot, scan, { ...query, all })
            : undefined
        const { seqs, ...totals } = few ?? start ?? (await readAll(snapshot, scan, query, known))
        const rows = await runStep(account, () =>
          readRows<OrderRow & { seq: number }>(snapshot, { ...LISTED, seqs }),
        )
        return { rows: rows.map(toOrder), ...totals }
      })
    },
  }
}

const LISTED = { table: 'orders', alias: 'o', columns: COLUMNS } as const

interface Found {
  seqs: number[]
  total: number
  atLeast?: number
}

function scanOf(account: string, query: OrderQuery): Scan {
  const { number, sort, after } = query
  return {
    account,
    table: 'orders',
    alias: 'o',
    own: `account_id = :account${number === undefined ? '' : ' and order_number = :order_number'}`,
    ...orderOf(query),
    descending: sort.descending,
    filter: filterOf(query),
    after: after && [...(after.value === undefined ? [] : [after.value]), after.id],
  }
}

/** The index with the rows in this order. All orders with one number have the same number. */
function orderOf({ sort: { by }, number }: OrderQuery): Pick<Scan, 'index' | 'order'> {
  if (by === 'ordered_at') return { index: 'orders_by_time', order: ['ordered_at', 'id'] }
  if (number !== undefined) return { index: 'orders_by_number', order: ['id'] }
  if (by === 'created_at') return { index: 'orders_newest', order: ['id'] }
  return { index: 'orders_in_number_order', order: ['sort_number', 'id'] }
}

/** A query for the `seq` of all orders that match the filter, and perhaps of others. */
interface Candidates {
  text: string
  match?: string
}

/** The indexes that can find the orders. The result of any of them may be small. */
function candidatesOf(query: OrderQuery): Candidates[] {
  const { number, words = [], status, source, asset, productId } = query
  const match = matchExpression(...words)
  const all: Candidates[] = []
  if (match !== undefined) {
    all.push({ text: 'select rowid as seq from order_texts where order_texts match :match', match })
  }
  const indexed = (index: string, condition: string) =>
    all.push({
      text: `select seq from orders indexed by ${index} where account_id = :account and ${condition}`,
    })
  if (number !== undefined) indexed('orders_by_number', 'order_number = :order_number')
  if (status === 'held') indexed('orders_held', 'held = 1')
  if (status === 'revoked') indexed('orders_revoked', 'revoked_at is not null')
  if (status === 'expired') indexed('orders_expiring', 'expires_at is not null')
  if (source === 'manual') indexed('orders_by_hand', `source = 'manual'`)
  const ofProducts = (condition: string) => `
    select o.seq from order_lines ol cross join orders o on o.id = ol.order_id
    where ol.account_id = :account and ${condition}`
  if (productId !== undefined) all.push({ text: ofProducts('ol.product_id = :product') })
  if (asset !== undefined) {
    const products = `select p.product_id ${PRODUCTS_WITH}`
    all.push({
      text: `select seq from (
        select o.seq from order_assets oa cross join orders o on o.id = oa.order_id where oa.asset_id = :asset
        union all ${ofProducts(`ol.product_id in (${products})`)})`,
    })
  }
  return all
}

/** The products that `:asset` is attached to. */
const PRODUCTS_WITH = `from assets a cross join asset_products l on l.asset_seq = a.seq
  cross join products p on p.seq = l.product_seq where a.id = :asset and p.account_id = :account`
/**
 * Like `coversAsset`, for statements that compare many orders: the products do not depend on the order, so SQLite reads them
 * once.
 */
const COVERS = `(exists (select 1 from order_assets oa where oa.order_id = o.id and oa.asset_id = :asset)
  or exists (select 1 from order_lines ol where ol.order_id = o.id and ol.quantity > ol.refunded
    and (ol.variant_id is null and ol.product_id in (select p.product_id ${PRODUCTS_WITH})
      or (ol.product_id, ol.variant_id) in (select p.product_id, p.variant_id ${PRODUCTS_WITH}))))`

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
    conditions.push(COVERS)
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
