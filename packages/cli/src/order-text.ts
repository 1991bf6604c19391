import type {
  AssetDownload,
  LoggedDownload,
  NodeClient,
  Order,
  OrderFile,
} from '@stowage/client/node'
import { fullName } from './assets.ts'
import { buyerOf, labelOf, limitsOf, urlProblem } from './orders.ts'
import { counted, formatMinute, tableWidth } from './output.ts'
import { sanitize } from './terminal/sanitize.ts'
import { type Column, table } from './terminal/table.ts'

/** What the buyer can do now, and what to do if that is nothing. */
export function stateOf(order: Order): string {
  switch (order.status) {
    case 'held':
      return 'Held: its buyer waits until stowage orders release.'
    case 'expired':
      return `Expired ${formatMinute(order.expires_at ?? '')} UTC: stowage orders extend renews it.`
    case 'revoked':
      return 'Revoked: it can no longer be downloaded. Create another order instead.'
    default:
      return limitsOf(order)
  }
}

const ORDER_COLUMNS: Column[] = [
  { head: 'ID', dropOrder: 4 },
  { head: 'ORDER', minWidth: 6 },
  { head: 'BUYER', minWidth: 10, dropOrder: 1 },
  { head: 'STATUS' },
  { head: 'DOWNLOADS', align: 'right', dropOrder: 2 },
  { head: 'EXPIRES', dropOrder: 3 },
  { head: 'CREATED', dropOrder: 5 },
]

export function orderTable(listed: Order[]): string {
  const rows = listed.map((order) => [
    order.id,
    labelOf(order),
    buyerOf(order),
    order.status,
    `${order.downloads}`,
    order.expires_at === null ? '' : formatMinute(order.expires_at),
    formatMinute(order.created_at),
  ])
  return table(ORDER_COLUMNS, rows, { columns: tableWidth() })
}

/** How many files are shown. */
const MAX_FILES = 20

export function orderText(order: Order, files: OrderFile[]): string {
  const more = files.length - MAX_FILES
  const lines = order.lines.map(({ product_id, variant_id, product, ...line }) => {
    const name = product && [product.name, product.variant_name].filter(Boolean).join(', ')
    const refunded = line.refunded_quantity > 0 ? `, ${line.refunded_quantity} refunded` : ''
    const ids = variant_id === null ? `${product_id}` : `${product_id}/${variant_id}`
    return `${line.quantity} × ${name ?? 'a deleted product'}  ${ids}${refunded}`
  })
  const details: [string, string | null][] = [
    ['id', order.id],
    ['status', order.status],
    ['buyer', [buyerOf(order), order.locale].filter(Boolean).join(', ') || null],
    ['reference', order.reference],
    ['label', order.label],
    ['ordered', new Date(order.ordered_at * 1000).toISOString()],
    ['expires', order.expires_at ?? 'never'],
    ['limit', order.max_downloads === null ? 'that of the account' : `${order.max_downloads}`],
    ['downloads', `${order.downloads}`],
    ...lines.map((line, index): [string, string] => [index === 0 ? 'products' : '', line]),
    ...files.slice(0, MAX_FILES).map((file, index): [string, string] => {
      const { asset, downloaded, limit } = file
      const used =
        limit === null
          ? counted(downloaded, 'download')
          : `${downloaded} of ${counted(limit, 'download')}`
      const where = file.line === null ? ', only in this order' : ''
      return [index === 0 ? 'files' : '', `${fullName(asset)}  ${used}${where}`]
    }),
    ['', more > 0 ? `and ${more} more` : null],
    ['url', order.url ?? urlProblem(order) ?? ''],
  ]
  const texts = details.flatMap(([name, value]) =>
    value === null ? [] : [`  ${name.padEnd(11)}${sanitize(value)}`],
  )
  return [sanitize(labelOf(order) || 'Order'), ...texts].join('\n')
}

/** The log of an order, or that of an asset with the orders. */
export function downloadTable(downloads: (LoggedDownload & Partial<AssetDownload>)[]): string {
  const hasOrders = downloads.some(({ order }) => order !== undefined)
  const rows = downloads.map(({ order, ...download }) => [
    formatMinute(download.opened_at),
    order === undefined
      ? download.filename
      : [labelOf(order) || order.id, buyerOf(order)].filter(Boolean).join('  '),
    `${download.version}`,
    `${download.starts}`,
    `${download.counted}`,
    download.ip_hash ?? '',
  ])
  return table(
    [
      { head: 'OPENED (UTC)' },
      { head: hasOrders ? 'ORDER' : 'FILE', minWidth: 12 },
      { head: 'VERSION', align: 'right', dropOrder: 2 },
      { head: 'STARTS', align: 'right', dropOrder: 3 },
      { head: 'COUNTED', align: 'right' },
      { head: 'IP HASH', dropOrder: 4 },
    ],
    rows,
    { columns: tableWidth() },
  )
}

type Total = Awaited<ReturnType<NodeClient['downloadTotals']>>['data'][number]

export function totalTable(totals: Total[], by: 'day' | 'asset' | 'product'): string {
  const rows = totals.map(({ day, asset_id, filename, product_id, downloads }) => [
    day ?? (asset_id === undefined ? `${product_id}` : (filename ?? `${asset_id} (deleted)`)),
    `${downloads}`,
  ])
  const head = { day: 'DAY (UTC)', asset: 'ASSET', product: 'PRODUCT ID' }[by]
  return table(
    [
      { head, minWidth: 10 },
      { head: 'DOWNLOADS', align: 'right' },
    ],
    rows,
    {
      columns: tableWidth(),
    },
  )
}
