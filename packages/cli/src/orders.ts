import { isStowageError, type NodeClient, type Order } from '@stowage/client/node'
import { parseDuration, parseTimestamp } from '@stowage/protocol/format'
import { UUID } from './assets.ts'
import { formatMinute } from './output.ts'
import { getProducts } from './products.ts'
import { sanitize } from './terminal/sanitize.ts'
import { CommandFailed, readCount, UsageError } from './usage.ts'

const MAX_CANDIDATES = 10

/**
 * The order with this ID, reference or number. `1001` also finds the number `#1001`, because `#` starts a comment in a
 * shell. Throws `CommandFailed`, with the candidates, if there is none or more than one.
 */
export async function getOrder(client: NodeClient, wanted: string): Promise<Order> {
  if (UUID.test(wanted)) {
    const order = await findByKey(client, wanted)
    if (order !== undefined) return order
  }
  const [byKey, numbered] = await Promise.all([
    findByKey(client, wanted),
    findByNumber(client, wanted),
  ])
  const exact = distinct(byKey === undefined ? numbered : [byKey, ...numbered])
  const found = exact.length > 0 ? exact : await findByNumber(client, `#${wanted}`)
  const [order, ...others] = found
  if (order === undefined) {
    throw new CommandFailed(
      `There is no order with the ID, reference or number ${sanitize(wanted)}. Run stowage orders ls WORD… to search for a name or an e-mail address.`,
    )
  }
  if (others.length > 0) {
    const lines = found.slice(0, MAX_CANDIDATES).map((one) => `\n  ${one.id}  ${factsOf(one)}`)
    throw new CommandFailed(
      `${sanitize(wanted)} is ambiguous. Pass one of these IDs:${lines.join('')}`,
    )
  }
  return order
}

/** Finds all orders before the command changes the first one. Duplicates are removed. */
export async function getOrders(client: NodeClient, wanted: string[]): Promise<Order[]> {
  const found: Order[] = []
  for (const one of wanted) found.push(await getOrder(client, one))
  return distinct(found)
}

/** References are not longer. */
const MAX_REFERENCE_LENGTH = 100

/** By our ID or by the shop's reference. */
export async function findByKey(client: NodeClient, key: string): Promise<Order | undefined> {
  if (key.length > MAX_REFERENCE_LENGTH || key === '.' || key === '..') return undefined
  try {
    return await client.order(key)
  } catch (error) {
    if (isStowageError(error, 'not_found')) return undefined
    throw error
  }
}

async function findByNumber(client: NodeClient, number: string): Promise<Order[]> {
  const page = await client.orders({ order_number: number, limit: MAX_CANDIDATES + 1 }).page()
  return page.data
}

function distinct(orders: Order[]): Order[] {
  return [...new Map(orders.map((order) => [order.id, order])).values()]
}

/** What people call the order: its number, its reference or its label. Empty if it has none of them. */
export function labelOf({
  order_number,
  reference,
  label,
}: Pick<Order, 'order_number' | 'reference' | 'label'>): string {
  return order_number ?? reference ?? label ?? ''
}

/** `Ada Lovelace <ada@example.com>`. Empty if neither is known. */
export function buyerOf({ name, email }: Pick<Order, 'name' | 'email'>): string {
  if (name !== null && email !== null) return `${name} <${email}>`
  return name ?? email ?? ''
}

function factsOf(order: Order): string {
  const facts = [labelOf(order), buyerOf(order), order.status, order.created_at.slice(0, 10)]
  return sanitize(facts.filter((fact) => fact !== '').join('  '))
}

/** `order 0198… (#1001)`, for messages. */
export function nameOf(order: Order): string {
  const label = labelOf(order)
  return sanitize(label === '' ? order.id : `${order.id} (${label})`)
}

const LAST_YEAR = 9999
const DAY_MS = 86_400_000

/**
 * When an order or a key ends: `30d` from now, a day (until its end, in UTC), a time in ISO 8601, or null for `never`.
 * Throws `UsageError` for any other text, and for the past, with a `hint` what to do instead.
 */
export function readExpiry(
  text: string | undefined,
  hint = 'To stop an order, use stowage orders hold or revoke.',
  now = Date.now(),
): string | null | undefined {
  if (text === undefined) return undefined
  if (text === 'never') return null
  const duration = parseDuration(text)
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const given = parseTimestamp(text)?.getTime()
  const end = (given ?? Number.NaN) + (isDay ? DAY_MS - 1000 : 0)
  const date = new Date(duration === undefined ? end : now + duration)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > LAST_YEAR) {
    throw new UsageError(
      `--expires ${text}: must be a time from now such as 30d or 12h, a day such as 2030-12-31, or never.`,
    )
  }
  if (date.getTime() <= now) {
    throw new UsageError(`--expires ${text}: is not in the future. ${hint}`)
  }
  return date.toISOString()
}

/** The limit of each file. `default` removes it, so that the limit of the account applies. */
export function readDownloads(text: string | undefined): number | null | undefined {
  return text === 'default' ? null : readCount(text, '--downloads')
}

/** `Each file can be downloaded 5 times, until 2030-12-31 23:59 UTC.` */
export function limitsOf({ max_downloads, expires_at }: Order): string {
  const times = max_downloads === 1 ? ' once,' : ` ${max_downloads} times,`
  const end = expires_at === null ? 'the order is revoked' : `${formatMinute(expires_at)} UTC`
  return `Each file can be downloaded${max_downloads === null ? '' : times} until ${end}.`
}

/** What to know before the URL is sent to a buyer. Undefined if there is nothing. */
export function urlProblem({ url }: Order): string | undefined {
  if (url === null) {
    return 'The URL cannot be shown. Either your key has the scope read: use one with the scope write. Or the secret key of the service was replaced since: pages whose URL is known still work; create another order to get a new URL.'
  }
  const { hostname } = new URL(url)
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname)
  return isLocal
    ? 'This URL only works on this machine. Set STOWAGE_BASE_URL of the service to the URL that buyers reach.'
    : undefined
}

export const LIMIT_HELP = `  --downloads   how often each file can be downloaded, times the quantity; default: the limit of the
                account, or any number of times
  --expires     a time from now such as 30d or 12h, a day such as 2030-12-31 (to its end, in UTC),
                or never`

interface OrderLine {
  product_id: number
  variant_id?: number
  quantity: number
}

/** One line for each product, or for each variant if not all variants of a product are meant. */
export async function getOrderLines(
  client: NodeClient,
  wanted: string[],
  quantity = 1,
): Promise<OrderLine[]> {
  const { lines } = await getProducts(client, wanted)
  const byProduct = Map.groupBy(lines, ({ product_id }) => product_id)
  const found: OrderLine[] = []
  for (const [product_id, some] of byProduct) {
    const variants = new Set(some.map(({ variant_id }) => variant_id))
    // Two lines that cover the same file would double its limit.
    const isWhole =
      variants.has(undefined) ||
      (variants.size > 1 &&
        variants.size === (await client.products({ product_id, limit: 1 }).page()).meta.total)
    if (isWhole) found.push({ product_id, quantity })
    else
      for (const variant_id of variants) {
        if (variant_id !== undefined) found.push({ product_id, variant_id, quantity })
      }
  }
  return found
}

export const PRODUCT_OPTIONS = {
  product: { type: 'string', short: 'p', multiple: true },
  sku: { type: 'string', multiple: true },
} as const

/** The products that the options name, for `getProducts`. */
export function wantedProducts({ product = [], sku = [] }: { product?: string[]; sku?: string[] }) {
  return [...product, ...sku.map((one) => `sku:${one}`)]
}
