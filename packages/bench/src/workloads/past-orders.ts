import { CATALOG_SETTINGS } from '../catalog/filled.ts'
import {
  assetOfOrder,
  copyOrders,
  POPULAR_EVERY,
  POPULAR_PRODUCT,
  startPostgresWithOrders,
  tokenAt,
} from '../catalog/orders.ts'
import { assetId } from '../catalog/records.ts'
import { CLIENTS, type Request, sendLoad } from '../load/send-load.ts'
import { inParallel } from '../load/sender.ts'
import { timed } from '../measure.ts'
import { startPeer } from '../processes/peers.ts'
import { API, type ServerProcess, startStowage } from '../processes/servers.ts'
import type { Contender, Metric, Workload, WorkloadContext } from '../workload.ts'

const LARGE = 1_000_000
const SMALL = 100_000
const nameOf = (count: number) => `Stowage, ${count.toLocaleString('en')} orders`
const FASTIFY = 'Fastify, one query'

const METRICS: Record<string, Metric> = {
  pages: { title: 'Views of download pages', unit: '/s', better: 'higher' },
  joined: { title: 'Starts of downloads that are open', unit: '/s', better: 'higher' },
  opened: { title: 'Starts that open and count a download', unit: '/s', better: 'higher' },
  attached: {
    title:
      'A file is attached to a product of one tenth of all orders, and one of their pages shows it',
    unit: 'ms',
    better: 'lower',
  },
  replaced: {
    title: 'A file of this product is replaced, and one of these pages shows it',
    unit: 'ms',
    better: 'lower',
  },
}

const unchanged = (metric: string, limit: { atLeast: number } | { below: number }) => ({
  metric,
  limit,
  relativeTo: { contender: nameOf(SMALL) },
})

const TARGETS = [
  unchanged('pages', { atLeast: 0.8 }),
  unchanged('joined', { atLeast: 0.8 }),
  unchanged('opened', { atLeast: 0.8 }),
  unchanged('attached', { below: 2 }),
  unchanged('replaced', { below: 2 }),
]

export const pastOrders: Workload = {
  title: 'Download pages and downloads of 1,000,000 past orders, on SQLite and disk, 16 clients',
  metrics: METRICS,
  targets: TARGETS,
  async open(context) {
    const FILE = await copyOrders(await context.folder(), LARGE)
    const peer = await startPeer(context, 'page-sqlite', { FILE })
    return openContenders(context, peer, async (count) => {
      const folder = await context.folder()
      await copyOrders(folder, count)
      return { STOWAGE_DATA: folder }
    })
  },
}

export const pastOrdersPostgres: Workload = {
  title:
    'Download pages and downloads of 1,000,000 past orders, on PostgreSQL and disk, 16 clients',
  metrics: METRICS,
  targets: TARGETS,
  async open(context) {
    const { database, copy } = await startPostgresWithOrders(context)
    const large = await database(LARGE)
    const DATABASE = await copy(large, 'peer')
    const peer = await startPeer(context, 'page-postgres', { DATABASE })
    return openContenders(context, peer, async (count) => ({
      STOWAGE_DATABASE: count === LARGE ? large : await database(count),
    }))
  },
}

/** `fill` creates a database with so many orders, and returns the settings of its service. */
async function openContenders(
  context: WorkloadContext,
  peer: ServerProcess,
  fill: (count: number) => Promise<Record<string, string>>,
): Promise<Contender[]> {
  const { seconds } = context
  const contenders: Contender[] = []
  for (const count of [LARGE, SMALL]) {
    const { url } = await startStowage(context, { ...CATALOG_SETTINGS, ...(await fill(count)) })
    contenders.push(ordersContender(nameOf(count), { url, count, seconds }))
  }
  const measured = { url: peer.url, count: LARGE, seconds }
  const next = openStarts(LARGE)
  return [...contenders, { name: FASTIFY, run: () => measureLoads(measured, next) }]
}

interface Measured {
  url: string
  count: number
  seconds: number
}

/** A start of a download: the reference of the order, and a file that it covers. */
interface Start {
  order: number
  asset: string
}

/** Pages, and starts of downloads. Calls of `next` return orders whose files nobody has downloaded. */
async function measureLoads({ url, count, seconds }: Measured, next: () => Start) {
  const views = Array.from({ length: 1000 }, (_, index) => ({
    path: `/d/${tokenAt(Math.floor((index * count) / 1000) + (index % 7))}`,
  }))
  const { perSecond: pages } = await sendLoad({ url, requests: views, seconds })
  const starts = Array.from({ length: 100 }, () => requestOf(next()))
  const open = async ({ path, ...init }: ReturnType<typeof requestOf>) => {
    const response = await fetch(url + path, init)
    if (response.status !== 200) throw new Error(`a start was refused: ${await response.text()}`)
  }
  await inParallel(
    CLIENTS,
    starts.map((start) => () => open(start)),
  )
  const { perSecond: joined } = await sendLoad({ url, requests: starts, seconds })
  const setupRequest = (request: Request) => ({ ...request, ...requestOf(next()) })
  const fresh = { ...requestOf(next()), setupRequest }
  const { perSecond: opened } = await sendLoad({ url, requests: [fresh], seconds })
  return { pages, joined, opened }
}

function requestOf({ order, asset }: Start) {
  return {
    method: 'POST' as const,
    path: `${API}/orders/${order}/downloads`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ asset }),
  }
}

/** The next order that nobody has started. Those of the popular product are left out, because its files change. */
function openStarts(count: number): () => Start {
  let order = 0
  return () => {
    order += order % POPULAR_EVERY === POPULAR_EVERY - 1 ? 2 : 1
    if (order >= count) throw new Error('every order was started: use fewer rounds')
    return { order, asset: assetOfOrder(order) }
  }
}

function ordersContender(name: string, measured: Measured): Contender {
  const { url, count } = measured
  const next = openStarts(count)
  let round = 0
  async function call(method: string, path: string, body?: object) {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(url + API + path, init)
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response.json()
  }
  /** The page of one of the orders of the popular product. */
  async function expectPage(text: string) {
    const order = Math.floor(count / POPULAR_EVERY / 2) * POPULAR_EVERY
    const page = await (await fetch(`${url}/d/${tokenAt(order)}`)).text()
    if (!page.includes(text)) throw new Error(`the page does not show ${text}`)
  }
  async function replace(id: string, bytes: Buffer): Promise<void> {
    const session = await call('POST', `/assets/${id}/signed`, { size: bytes.length })
    const part = await fetch(session.urls[0].url, { method: 'PUT', body: new Uint8Array(bytes) })
    if (!part.ok) throw new Error(`the part was refused: ${await part.text()}`)
    await call('POST', `/assets/${id}/uploaded`, { upload_id: session.upload_id })
  }
  return {
    name,
    async run() {
      const loads = await measureLoads(measured, next)
      round += 1
      const filename = `later-${round}.zip`
      const link = { filename, url: 'https://example.com/later.zip' }
      const { id } = (await call('POST', '/assets/store', link)).data
      const products = { product_ids: [POPULAR_PRODUCT] }
      const attached = await timed(async () => {
        await call('POST', `/assets/${id}/attach`, products)
        await expectPage(filename)
      })
      await call('DELETE', `/assets/${id}?permanent=true`)
      const file = assetId(0)
      await replace(file, Buffer.from('first'))
      const replaced = await timed(async () => {
        await replace(file, Buffer.from(`a file of round ${round}`))
        await expectPage('Updated on')
      })
      return { ...loads, attached: attached.time, replaced: replaced.time }
    },
  }
}
