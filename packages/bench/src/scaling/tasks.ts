import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Poll, watchOthers } from '../load/send-load.ts'
import { API, resetPeakMemory, type ServerProcess, watchUsage } from '../processes/servers.ts'
import { progress } from '../progress.ts'
import { authorizationOf, type Requester, requester } from './shop-calls.ts'

/** A task that changes or reads many rows of one account, with as many calls as it takes. */
export interface LargeTask {
  name: string
  /** How many assets, products or events. */
  count: number
  seconds: number
  /** CPU time of the instance. */
  cpuSeconds: number
  /** The longest of its calls. */
  longestMs: number
  /** The mean time of the last tenth of its calls, divided by that of the first tenth. Missing if there are few calls. */
  growth?: number
  /** The longest response times of other clients meanwhile. */
  waits: { health: number; read: number; write: number }
  /** Peak memory of the instance during the task. */
  megabytes: number
  logMegabytes: number
}

/** The account whose assets are changed. `assets` is their number; `key` is missing if the service requires none. */
export interface GrownAccount {
  assets: number
  key?: string
}

/** A service with a large account, on one of the databases. */
export interface GrownService {
  account: GrownAccount
  server: ServerProcess
  /** Restarts the service with further settings. */
  restart(settings: Record<string, string>): Promise<ServerProcess>
  /** Runs the work. Returns the size of the write-ahead log: the bytes written on PostgreSQL, the largest file on SQLite. */
  watchLog<Result>(work: () => Promise<Result>): Promise<{ result: Result; bytes: number }>
}

const BULK = 1000
const POLL_MS = 100

type Calls = Iterable<() => Promise<unknown>>

/** Tasks in the order of their dependencies: the last ones need the events that the others have recorded. */
export async function measureTasks(service: GrownService, changed: number): Promise<LargeTask[]> {
  const { account } = service
  let { server } = service
  const request: Requester = (...call) => requester(server.url, account)(...call)
  const results: LargeTask[] = []

  async function measure(name: string, count: number, calls: Calls): Promise<void> {
    progress(`${name}: ${count}`)
    const times: number[] = []
    async function run() {
      for (const call of calls) {
        const start = performance.now()
        await call()
        times.push(performance.now() - start)
      }
    }
    await resetPeakMemory(server.pid)
    const watched = () => watchOthers(server.url, othersOf(account), run)
    const { result, bytes } = await service.watchLog(() => watchUsage([server.pid], watched))
    const { cpuSeconds, peakMegabytes: megabytes } = result
    const [health = 0, read = 0, write = 0] = result.result.longestMs
    results.push({
      name,
      count,
      seconds: sum(times) / 1000,
      cpuSeconds,
      longestMs: Math.max(...times),
      ...growthOf(times),
      waits: { health, read, write },
      megabytes,
      logMegabytes: bytes / 1e6,
    })
  }

  const batches = Array.from({ length: Math.ceil(changed / BULK) }, (_, index) => index)
  const products = batches.map((batch) => {
    const indexes = Array.from({ length: BULK }, (_, index) => batch * BULK + index)
    return () => request('PUT', '/products', { products: indexes.map(productAt) })
  })
  await measure('Import products', changed, products)

  const ids = await readIds(request, batches.length)
  const bulk = (action: string, more: object = {}) =>
    ids.map((some) => () => request('POST', '/assets/bulk', { action, ids: some, ...more }))
  const product = productAt(0)
  const variants = { variant_ids: [product.variant_id] }
  await measure('Attach a product', changed, bulk('attach', variants))
  const { data: found } = await request('GET', `/products?variant_id=${product.variant_id}`)
  await measure('Rename the product', changed, [
    () => request('PUT', '/products', { products: [{ ...product, name: 'Renamed' }] }),
  ])
  await measure('Delete the product', changed, [
    () => request('DELETE', `/products/${found[0].id}`),
  ])
  await measure('Delete', changed, bulk('delete'))
  await measure('Restore', changed, bulk('restore'))
  await measure('Delete all (`deleted-all`)', account.assets, [
    () => request('POST', '/assets/deleted-all'),
    () => untilEmpty(request),
  ])
  const trash = (page: number) => [() => request('GET', `/assets?trashed=true&page=${page}`)]
  await measure('First page of the trash', account.assets, trash(1))
  await measure('Middle page of the trash', account.assets, trash(Math.ceil(account.assets / 50)))

  const { count, middle, last } = await countEvents(request)
  const list = (query: string) => [() => request('GET', `/events?limit=${BULK}${query}`)]
  await measure('First 1,000 events', count, list(''))
  await measure('First 1,000 events of a type', count, list('&type=asset.restored'))
  await measure('1,000 events in the middle', count, list(`&after=${middle}`))
  await measure('Last 1,000 events', count, list('&order=desc'))
  await measure('Stream of all events', count, [
    () => streamEvents(`${server.url}${API}/events?after=0`, account, last),
  ])
  await measure('Record one more event', count, [
    () => request('PUT', '/products', { products: [{ ...productAt(1), name: 'Renamed' }] }),
  ])
  // All events are too old, and are forgotten after the start.
  server = await service.restart({ STOWAGE_EVENTS_FOR: '1s' })
  await measure('Forget all events', count, [() => untilForgotten(request, last)])
  return results
}

/** Other clients of the same account. The second one reads the database, and the third one changes it. */
function othersOf(account: GrownAccount): Poll[] {
  const authorization = authorizationOf(account)
  return [
    { path: '/healthz', pauseMs: 5 },
    { path: `${API}/account`, headers: authorization, pauseMs: 10 },
    {
      path: `${API}/assets/signed`,
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'other.zip', size: 1000 }),
      pauseMs: 50,
    },
  ]
}

const MIN_CALLS = 20

function growthOf(times: number[]): { growth?: number } {
  if (times.length < MIN_CALLS) return {}
  const tenth = Math.floor(times.length / 10)
  return { growth: sum(times.slice(-tenth)) / sum(times.slice(0, tenth)) }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function productAt(index: number) {
  const [product_id, variant_id] = [10_000_000 + Math.floor(index / 2), 20_000_000 + index]
  return { product_id, variant_id, name: `Imported product ${index}`, sku: `IMPORT-${index}` }
}

/** The IDs of the newest assets, in groups that a bulk call can take. */
async function readIds(request: Requester, pages: number): Promise<string[][]> {
  const ids: string[][] = []
  for (let page = 1; page <= pages; page += 1) {
    const { data } = await request('GET', `/assets?limit=${BULK}&page=${page}`)
    ids.push(data.map(({ id }: { id: string }) => id))
  }
  return ids
}

/** The service deletes most of the assets in the background. */
async function untilEmpty(request: Requester): Promise<void> {
  for (;;) {
    const { data } = await request('GET', '/account')
    if (data.assets === 0) return
    progress(`deleting all: ${data.assets} remain`)
    await pause(POLL_MS)
  }
}

/** Reads all events of the account, in pages. The results are IDs after which a reader can continue. */
async function countEvents(request: Requester) {
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
  const at = (part: number) => positions[Math.floor((positions.length - 1) * part)] ?? 0
  return { count, middle: at(0.5), last: at(1) }
}

/** Reads a stream until it has sent the event with this ID. */
function streamEvents(url: string, account: GrownAccount, last: number): Promise<void> {
  const headers = { ...authorizationOf(account), accept: 'text/event-stream' }
  // A part of the previous chunk is kept: the ID may be in two chunks.
  const wanted = `id: ${last}\n`
  return new Promise((resolve, reject) => {
    const outgoing = get(url, { headers }, (response) => {
      let end = ''
      response.setEncoding('latin1').on('data', (chunk: string) => {
        const text = end + chunk
        end = text.slice(-wanted.length)
        if (!text.includes(wanted)) return
        outgoing.destroy()
        resolve()
      })
      response.once('end', () => reject(new Error('the stream ended')))
    }).once('error', reject)
  })
}

/** Other clients record new events meanwhile. */
async function untilForgotten(request: Requester, last: number): Promise<void> {
  for (;;) {
    const { data } = await request('GET', '/events?limit=1')
    if (data.length === 0 || data[0].id > last) return
    progress(`forgetting events: the first is ${data[0].id}`)
    await pause(POLL_MS)
  }
}
