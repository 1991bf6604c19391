import { type Request, sendFor, watchStalls } from '../load/send-load.ts'
import { sessionRequest } from '../load/sessions.ts'
import { API, type ServerProcess, watchUsage } from '../processes/servers.ts'
import { progress } from '../progress.ts'
import { authorizationOf, type Requester, requester } from './shop-calls.ts'

/** A task that changes or reads many assets of one account, with as many calls as it takes. */
export interface LargeTask {
  name: string
  /** How many assets, products or events. */
  count: number
  seconds: number
  /** The longest of its calls. */
  longestMs: number
  /** The longest response time of another client meanwhile. */
  stallMs: number
  /** Peak memory of the instance since its start. */
  megabytes: number
}

/** A load of different calls. */
export interface MixedLoad {
  clients: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  megabytes: number
}

/** The account whose assets are changed. `assets` is their number; `key` is missing if the service requires none. */
export interface GrowthAccount {
  assets: number
  key?: string
}

const BULK = 1000
const MAX_CHANGED = 100_000
const POLL_MS = 100

/** Tasks in the order of their dependencies: the last ones need the events that the others have recorded. */
export async function measureLargeTasks(
  server: ServerProcess,
  account: GrowthAccount,
): Promise<LargeTask[]> {
  const request = requester(server.url, account)
  const changed = Math.min(MAX_CHANGED, account.assets)
  const batches = Array.from({ length: Math.ceil(changed / BULK) }, (_, index) => index)
  const results: LargeTask[] = []
  async function task(name: string, count: number, calls: Iterable<() => Promise<unknown>>) {
    progress(`${name}: ${count}`)
    let [longestMs, totalMs] = [0, 0]
    const { peakMegabytes, result } = await watchUsage([server.pid], () =>
      watchStalls(server.url, async () => {
        for (const call of calls) {
          const start = performance.now()
          await call()
          const ms = performance.now() - start
          longestMs = Math.max(longestMs, ms)
          totalMs += ms
        }
      }),
    )
    const seconds = totalMs / 1000
    const { longestMs: stallMs } = result
    results.push({ name, count, seconds, longestMs, stallMs, megabytes: peakMegabytes })
  }
  const bulk = (action: string, ids: string[][], more: object = {}) =>
    ids.map((some) => () => request('POST', '/assets/bulk', { action, ids: some, ...more }))

  const products = batches.map((batch) => {
    const indexes = Array.from({ length: BULK }, (_, index) => batch * BULK + index)
    return () => request('PUT', '/products', { products: indexes.map(productAt) })
  })
  await task('Import products', products.length * BULK, products)
  const ids: string[][] = []
  for (const batch of batches) {
    const { data } = await request('GET', `/assets?limit=${BULK}&page=${batch + 1}`)
    ids.push(data.map(({ id }: { id: string }) => id))
  }
  const variants = { variant_ids: [productAt(0).variant_id] }
  await task('Attach a product', changed, bulk('attach', ids, variants))
  await task('Delete', changed, bulk('delete', ids))
  await task('Restore', changed, bulk('restore', ids))
  await task('Delete all (`deleted-all`)', account.assets, [
    () => request('POST', '/assets/deleted-all'),
    () => untilEmpty(request),
  ])
  const events = await countEvents(request)
  const first = () => request('GET', `/events?limit=${BULK}`)
  const one = () => request('GET', `/events?limit=${BULK}&type=asset.restored`)
  await task('List the first 1,000 events', events.count, [first])
  await task('List the first 1,000 events of a type', events.count, [one])
  await task('List 1,000 events in the middle', events.count, [
    () => request('GET', `/events?limit=${BULK}&after=${events.middle}`),
  ])
  await task('Record one more event', events.count, [
    () => request('PUT', '/products', { products: [{ ...productAt(0), name: 'Renamed' }] }),
  ])
  return results
}

function productAt(index: number) {
  const [product_id, variant_id] = [10_000_000 + Math.floor(index / 2), 20_000_000 + index]
  return { product_id, variant_id, name: `Imported product ${index}`, sku: `IMPORT-${index}` }
}

/** The service deletes most of the assets in the background. */
async function untilEmpty(request: Requester): Promise<void> {
  for (;;) {
    const { meta } = await request('GET', '/assets?limit=1')
    if (meta.total === 0) return
    progress(`deleting all: ${meta.total} remain`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Reads all events of the account, in pages. */
async function countEvents(request: Requester): Promise<{ count: number; middle: number }> {
  const positions: number[] = []
  let count = 0
  for (let after = 0; ; ) {
    const query = after === 0 ? '' : `&after=${after}`
    const { data, meta } = await request('GET', `/events?limit=${BULK}${query}`)
    count += data.length
    progress(`counting events: ${count}`)
    after = meta.next_after
    positions.push(after)
    if (!meta.has_more) break
  }
  return { count, middle: positions[Math.floor(positions.length / 2)] ?? 0 }
}

const QUIET_CLIENTS = 4
const MANY_CLIENTS = 500

/** The same calls with a few clients, and with many. */
export async function measureMixedLoad(
  server: ServerProcess,
  account: GrowthAccount,
  seconds: number,
): Promise<MixedLoad[]> {
  const request = requester(server.url, account)
  const { data } = await request('GET', '/assets?limit=20')
  const paths = [
    '/assets',
    '/assets?page=2&with_products=true',
    '/assets?search=pack',
    '/account',
    '/products',
    ...data.map(({ id }: { id: string }) => `/assets/${id}`),
  ]
  const reads = paths.map(
    (path): Request => ({ path: `${API}${path}`, headers: authorizationOf(account) }),
  )
  const session = sessionRequest()
  const write = { ...session, headers: { ...session.headers, ...authorizationOf(account) } }
  const requests = [...reads, write, write, write]
  const loads: MixedLoad[] = []
  for (const clients of [QUIET_CLIENTS, MANY_CLIENTS]) {
    progress(`mixed calls with ${clients} clients`)
    const { result, peakMegabytes } = await watchUsage([server.pid], () =>
      sendFor({ url: server.url, requests, seconds, clients }),
    )
    loads.push({ clients, ...result, megabytes: peakMegabytes })
  }
  return loads
}
