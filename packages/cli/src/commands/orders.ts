import type {
  AssetDownload,
  LoggedDownload,
  NodeClient,
  Order,
  OrderRequest,
} from '@stowage/client/node'
import { fullName, getAsset, getAssets } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { downloadTable, orderTable, orderText, stateOf, totalTable } from '../order-text.ts'
import {
  findByKey,
  getOrder,
  getOrderLines,
  getOrders,
  LIMIT_HELP,
  nameOf,
  PRODUCT_OPTIONS,
  readDownloads,
  readExpiry,
  urlProblem,
  wantedProducts,
} from '../orders.ts'
import {
  counted,
  ignoreClosedOutput,
  writeData,
  writeItem,
  writeList,
  writeMessage,
} from '../output.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { sanitize } from '../terminal/sanitize.ts'
import {
  type Command,
  omitUndefined,
  readChoice,
  readCount,
  readLimit,
  readOptions,
  requireArguments,
  requireOneArgument,
  suggestion,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...PRODUCT_OPTIONS,
  asset: { type: 'string', short: 'a', multiple: true },
  quantity: { type: 'string' },
  reference: { type: 'string' },
  number: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
  locale: { type: 'string' },
  label: { type: 'string' },
  downloads: { type: 'string' },
  expires: { type: 'string' },
  held: { type: 'boolean' },
  inline: { type: 'boolean' },
  status: { type: 'string' },
  source: { type: 'string' },
  sort: { type: 'string', short: 's' },
  by: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

const readOrderOptions = (commandLine: string[]) => readOptions(commandLine, OPTIONS)
type OrderValues = ReturnType<typeof readOrderOptions>['values']
type OptionName = keyof typeof OPTIONS

const STATUSES = ['active', 'held', 'expired', 'revoked'] as const
const SOURCES = ['api', 'manual'] as const
const SORTS = {
  newest: '-created_at',
  oldest: 'created_at',
  number: 'order_number',
  ordered: '-ordered_at',
} as const
const SORT_NAMES = Object.keys(SORTS) as (keyof typeof SORTS)[]
const UNITS = ['day', 'asset', 'product'] as const

const ORDER_HELP = `ORDER is the ID, your reference, or the number of the order. 1001 also finds the number #1001: in a
shell, # starts a comment, so write '#1001' or 1001.`

export const orders: Command = {
  help: `stowage orders: what buyers may download, and their download pages

Usage:
  stowage orders ls [WORD…] [--status ${STATUSES.join('|')}] [--source ${SOURCES.join('|')}]
                    [--product P] [--asset A] [--sort ${SORT_NAMES.join('|')}]
                    [--limit N | --all]
  stowage orders show ORDER…
  stowage orders add [--product P]… [--sku SKU]… [--asset A]… [--quantity N] [--reference TEXT]
                     [--number TEXT] [--email TEXT] [--name TEXT] [--locale LANGUAGE]
                     [--downloads N] [--expires TIME] [--held] [--inline] [--label TEXT]
  stowage orders attach|detach ORDER ASSET…
  stowage orders extend ORDER… [--downloads N] [--expires TIME]
  stowage orders hold|release ORDER…
  stowage orders revoke ORDER… [--yes]
  stowage orders downloads ORDER | --asset A [--limit N | --all]
  stowage orders downloads [--by ${UNITS.join('|')}] [--from DAY] [--to DAY]

  WORD          any part of the number, reference, e-mail address, name or label; all must match
  -p, --product a product by SKU, ID or words, as in stowage attach
  --sku         a product by exactly this SKU
  -a, --asset   an asset by ID or name. In add: a file of this order only
  --quantity    how many of each product were sold (default: 1)
  --reference   your own ID of the order. If there is an order with it, add changes that order
  --number      the number that the buyer knows, such as 1001
  --locale      the buyer's language, such as de
  --held        let the buyer wait until stowage orders release
  --inline      let the buyer play audio and video, and open PDF files and pictures, uncounted
  --label       a note for yourself, which the buyer does not see
${LIMIT_HELP}
  --by, --from, --to
                count the downloads of all buyers by ${UNITS.join(', ')}, in these days
                (default: by day, the last 31 days)
  -n, --limit   the maximum number of orders or downloads (default: 25)
  --all         all orders or downloads
  -y, --yes     do not ask for confirmation. Required if not run in a terminal
${CONNECTION_HELP}
  --json        JSON instead of text; one object per line for several orders

${ORDER_HELP}
add prints the URL of the download page: send it to the buyer. Its files are those of the products,
also those that are attached or replaced later. extend keeps the URL. revoke is for good: running
downloads end within five minutes. list is an alias of ls; stowage share is a short form of add.

Examples:
  stowage orders add --sku PACK-WAV --number 1001 --email ada@example.com --downloads 5
  stowage orders ls ada --status active
  stowage orders extend 1001 --downloads 10 --expires 30d
  stowage orders downloads 1001
`,
  async run([action, ...commandLine]) {
    const name = action === 'list' ? 'ls' : action
    if (name !== undefined && Object.hasOwn(ACTIONS, name)) {
      const { run, options } = ACTIONS[name as keyof typeof ACTIONS] as Action
      const { values, positionals } = readOrderOptions(commandLine)
      const accepted: string[] = [...options, 'url', 'key', 'json']
      const other = Object.keys(values).find((option) => !accepted.includes(option))
      if (other !== undefined) throw new UsageError(`orders ${name} has no option --${other}.`)
      return run(values, positionals)
    }
    throw new UsageError(
      action === undefined
        ? `Pass ${Object.keys(ACTIONS).join(', ')}.`
        : `Unknown command orders ${action}.${suggestion(action, Object.keys(ACTIONS))}`,
    )
  },
}

interface Action {
  /** The options that it accepts besides those of every command. */
  options: readonly OptionName[]
  run(values: OrderValues, positionals: string[]): Promise<number>
}

const ACTIONS = {
  ls: {
    options: ['status', 'source', 'product', 'sku', 'asset', 'sort', 'limit', 'all'],
    run: listOrders,
  },
  show: { options: [], run: showOrders },
  add: {
    options: [
      ...(['product', 'sku', 'asset', 'quantity', 'reference', 'number', 'email', 'name'] as const),
      ...(['locale', 'label', 'downloads', 'expires', 'held', 'inline'] as const),
    ],
    run: addOrder,
  },
  attach: {
    options: [],
    run: (values, positionals) => changeAssets(values, positionals, 'attachToOrder'),
  },
  detach: {
    options: [],
    run: (values, positionals) => changeAssets(values, positionals, 'detachFromOrder'),
  },
  extend: { options: ['downloads', 'expires'], run: extendOrders },
  hold: { options: [], run: (values, positionals) => holdOrders(values, positionals, true) },
  release: { options: [], run: (values, positionals) => holdOrders(values, positionals, false) },
  revoke: { options: ['yes'], run: revokeOrders },
  downloads: {
    options: ['asset', 'by', 'from', 'to', 'limit', 'all'],
    run: listDownloads,
  },
} as const satisfies Record<string, Action>

async function listOrders(values: OrderValues, positionals: string[]): Promise<number> {
  const { json = false } = values
  const limit = readLimit(values)
  const sort = readChoice(values.sort, '--sort', SORT_NAMES)
  const query = {
    search: positionals.join(' ') || undefined,
    status: readChoice(values.status, '--status', STATUSES),
    source: readChoice(values.source, '--source', SOURCES),
    sort: sort && SORTS[sort],
  }
  const wanted = oneAtMost(wantedProducts(values), '--product')
  const name = oneAtMost(values.asset, '--asset')
  return withClient(values, async (client) => {
    const lines = wanted === undefined ? [] : await getOrderLines(client, [wanted])
    const [product, ...others] = new Set(lines.map(({ product_id }) => product_id))
    if (others.length > 0) {
      throw new UsageError(`${wanted} is in several products. Pass --product product:ID.`)
    }
    const asset = name === undefined ? undefined : (await getAsset(client, name)).id
    const filters = omitUndefined({ ...query, product_id: product, asset })
    const list = (pageSize: number) => client.orders({ ...filters, limit: pageSize })
    await writeList<Order>(list, { limit, json, text: orderTable })
    return 0
  })
}

function oneAtMost(given: string[] | undefined, option: string): string | undefined {
  if (given === undefined || given.length <= 1) return given?.[0]
  throw new UsageError(`Pass ${option} only once.`)
}

async function showOrders(values: OrderValues, positionals: string[]): Promise<number> {
  const { json = false } = values
  const wanted = requireOrders(positionals)
  return withClient(values, async (client) => {
    for (const [index, { id }] of (await getOrders(client, wanted)).entries()) {
      const [order, files] = await Promise.all([
        client.order(id, { with_assets: true }),
        client.orderFiles(id),
      ])
      const text = `${index > 0 ? '\n' : ''}${orderText(order, files)}`
      writeItem({ ...order, files }, { json, text })
    }
    return 0
  })
}

/** A word with `#` that is not quoted is a comment, so that nothing is passed. */
function requireOrders(positionals: string[]): string[] {
  if (positionals.length > 0 && !positionals.includes('')) return positionals
  throw new UsageError(
    "No order given. Pass an ID, a reference or a number. Write a number with # in quotes: '#1001'.",
  )
}

async function addOrder(values: OrderValues, positionals: string[]): Promise<number> {
  const [unexpected] = positionals
  if (unexpected !== undefined) {
    throw new UsageError(`Unexpected argument: ${unexpected}. Pass --product, --sku or --asset.`)
  }
  const { asset: names = [], reference, number, email, name, locale, label, held, inline } = values
  const { json = false } = values
  const products = wantedProducts(values)
  const quantity = readCount(values.quantity, '--quantity')
  if (names.length === 0 && products.length === 0) {
    throw new UsageError('Nothing to deliver. Pass --product, --sku or --asset.')
  }
  const facts = {
    ...{ reference, email, name, locale, label, held, inline, order_number: number },
    max_downloads: readDownloads(values.downloads),
    expires_at: readExpiry(values.expires),
  }
  return withClient(values, async (client) => {
    const lines = await getOrderLines(client, products, quantity)
    const assets = (await getAssets(client, names)).map(({ id }) => id)
    const known = reference === undefined ? undefined : await findByKey(client, reference)
    const request = { ...omitUndefined(facts), lines, assets } as OrderRequest
    const order = await client.createOrder(request)
    const problem = urlProblem(order)
    writeData(order, { json, text: order.url ?? order.id })
    if (json) return 0
    const what = known?.id === order.id ? 'was changed, because it has this reference' : 'created'
    writeMessage(`Order ${nameOf(order)} ${what}. ${stateOf(order)}`)
    if (problem !== undefined) writeMessage(problem)
    return 0
  })
}

async function changeAssets(
  values: OrderValues,
  positionals: string[],
  call: 'attachToOrder' | 'detachFromOrder',
): Promise<number> {
  const [wanted = '', ...names] = requireOrders(positionals)
  requireArguments(names, 'asset')
  return withClient(values, async (client) => {
    const { id } = await getOrder(client, wanted)
    const assets = await getAssets(client, names)
    const order = await client[call](
      id,
      assets.map((asset) => asset.id),
    )
    const own = order.assets.map(fullName).join(', ') || 'no files of its own'
    writeData(order, { json: values.json === true, text: `${nameOf(order)}: ${sanitize(own)}` })
    return 0
  })
}

async function extendOrders(values: OrderValues, positionals: string[]): Promise<number> {
  const wanted = requireOrders(positionals)
  const changes = omitUndefined({
    max_downloads: readDownloads(values.downloads),
    expires_at: readExpiry(values.expires),
  })
  if (Object.keys(changes).length === 0) {
    throw new UsageError('Nothing to change. Pass --downloads or --expires.')
  }
  return changeOrders(values, wanted, (client, { id }) => client.changeOrder(id, changes))
}

function holdOrders(values: OrderValues, positionals: string[], held: boolean): Promise<number> {
  return changeOrders(values, requireOrders(positionals), (client, { id }) =>
    client.changeOrder(id, { held }),
  )
}

async function revokeOrders(values: OrderValues, positionals: string[]): Promise<number> {
  const wanted = requireOrders(positionals)
  const { yes = false } = values
  if (!yes && !isInteractive()) {
    throw new UsageError('Not interactive. Pass --yes to revoke without asking.')
  }
  const ask = async (found: Order[]) => {
    if (yes) return true
    const [first] = found
    const what = first && found.length === 1 ? `order ${nameOf(first)}` : `${found.length} orders`
    return confirm(`Revoke ${what}? This cannot be undone; stowage orders hold can.`)
  }
  const revoke = async (client: NodeClient, { id }: Order) => {
    await client.revokeOrder(id)
    return client.order(id)
  }
  return changeOrders(values, wanted, revoke, ask)
}

/** Finds all orders before the first one is changed. */
function changeOrders(
  values: OrderValues,
  wanted: string[],
  change: (client: NodeClient, order: Order) => Promise<Order>,
  ask: (found: Order[]) => Promise<boolean> = async () => true,
): Promise<number> {
  return withClient(values, async (client) => {
    const found = await getOrders(client, wanted)
    if (!(await ask(found))) {
      writeMessage('Nothing was revoked.')
      return 1
    }
    ignoreClosedOutput()
    for (const one of found) {
      const order = await change(client, one)
      const text = `${nameOf(order)}: ${stateOf(order)}`
      writeItem(order, { json: values.json === true, text })
    }
    return 0
  })
}

async function listDownloads(values: OrderValues, positionals: string[]): Promise<number> {
  const { json = false, from, to } = values
  const limit = readLimit(values)
  const by = readChoice(values.by, '--by', UNITS)
  const name = oneAtMost(values.asset, '--asset')
  const counts = by ?? from ?? to
  if (positionals.length > 0 && (name ?? counts) !== undefined) {
    throw new UsageError('Pass either an order, or --asset, --by, --from and --to.')
  }
  if (name !== undefined && counts !== undefined) {
    throw new UsageError('Pass either --asset, or --by, --from and --to.')
  }
  if (positionals.length > 0) {
    const wanted = requireOneArgument(requireOrders(positionals), 'order')
    return withClient(values, async (client) => {
      const { id } = await getOrder(client, wanted)
      const list = (pageSize: number) => client.orderDownloads(id, { limit: pageSize })
      await writeList<LoggedDownload>(list, { limit, json, text: downloadTable, none: NO_LOG })
      return 0
    })
  }
  return withClient(values, async (client) => {
    if (name !== undefined) {
      const { id } = await getAsset(client, name)
      const list = (pageSize: number) => client.assetDownloads(id, { limit: pageSize })
      await writeList<AssetDownload>(list, { limit, json, text: downloadTable, none: NO_LOG })
      return 0
    }
    const { data, meta } = await client.downloadTotals(omitUndefined({ by, from, to }))
    // All days are shown by default: a gap at the end would look like days without downloads.
    const isWhole = meta.by === 'day' && values.limit === undefined
    const shown = isWhole ? data : data.slice(0, limit)
    if (json || shown.length > 0) {
      writeData({ data: shown, meta }, { json, text: totalTable(shown, meta.by) })
    }
    if (json) return 0
    const rest =
      shown.length < data.length ? ` Showing ${shown.length} of ${data.length} rows.` : ''
    const sum = data.reduce((all, { downloads }) => all + downloads, 0)
    writeMessage(`${counted(sum, 'download')} from ${meta.from} to ${meta.to}.${rest}`)
    return 0
  })
}

const NO_LOG =
  'No downloads. Those of the last 90 days are kept, unless the service has another setting.'
