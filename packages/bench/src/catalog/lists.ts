import { sendLoad } from '../load/send-load.ts'
import { spreadOf, timed } from '../measure.ts'
import { API, type ServerProcess } from '../processes/servers.ts'
import type { Contender, Metric, Target } from '../workload.ts'
import { assetId, COMMON, RARE, RARE_COUNT } from './records.ts'

const PAGE = 25
const ID_COUNT = 100
const REPETITIONS = 5

/** A running server, and for how long each kind of request is sent to it. */
type MeasuredServer = { server: ServerProcess; seconds: number }

/** Measures all metrics of a service with `count` assets. */
export function listContender(
  name: string,
  { server, seconds, count }: MeasuredServer & { count: number },
): Contender {
  const { url } = server
  const rateOf = async (...paths: string[]) => {
    const requests = paths.map((path) => ({ path: `${API}/assets${path}` }))
    return (await sendLoad({ url, requests, seconds })).perSecond
  }
  return {
    name,
    async run() {
      await expectTotal(url, `filename=${RARE}`, RARE_COUNT)
      await expectTotal(url, `filename=${COMMON}`, count)
      await expectTotal(url, `search=${COMMON}+${RARE}`, RARE_COUNT)
      await expectTotal(url, `search=${COMMON}`, count)
      return {
        first: await rateOf(''),
        middle: await rateOf(`?page=${count / PAGE / 2}`),
        last: await rateOf(`?page=${count / PAGE}`),
        rare: await rateOf(`?filename=${RARE}`),
        rareWords: await rateOf(`?search=${COMMON}+${RARE}`),
        one: await rateOf(...someIds(count).map((id) => `/${id}`)),
        thousand: await rateOf('?limit=1000&with_products=true'),
        ...(await searchAll(url, count)),
      }
    },
  }
}

/** A server with a constant response. */
export function helloWorld({ server, seconds }: MeasuredServer): Contender {
  const requests = [{ path: '/healthz' }]
  const run = async () => sendLoad({ url: server.url, requests, seconds })
  return { name: HELLO, run: async () => ({ first: (await run()).perSecond }) }
}

/** A server that only looks up a row. */
export function byId({ server, seconds, count }: MeasuredServer & { count: number }): Contender {
  const requests = someIds(count).map((id) => ({ path: `/assets/${id}` }))
  const run = async () => sendLoad({ url: server.url, requests, seconds })
  return { name: BY_ID, run: async () => ({ one: (await run()).perSecond }) }
}

/** IDs of assets that are evenly spread over the table. */
function someIds(count: number): string[] {
  const distance = count / ID_COUNT
  return Array.from({ length: ID_COUNT }, (_, index) => assetId(index * distance))
}

/** Searches several times for terms that match all assets. The counts are cached: see the workload `search`. */
async function searchAll(url: string, count: number) {
  const medianOf = async (query: string) => {
    const times: number[] = []
    for (let turn = 0; turn < REPETITIONS; turn += 1) {
      times.push((await timed(() => expectTotal(url, query, count))).time)
    }
    return spreadOf(times).median
  }
  return { all: await medianOf(`filename=${COMMON}`), allWords: await medianOf(`search=${COMMON}`) }
}

/** Throws unless the list has this total, or bounds around it. Versions before 0.3.0 return no bounds. */
export async function expectTotal(url: string, query: string, total: number): Promise<void> {
  const { total: most, total_at_least: least = most } = (await list(url, query)).meta
  if (total < least || total > most) {
    throw new Error(`${query} found ${least} to ${most} instead of ${total}`)
  }
}

interface Counted {
  meta: { total: number; total_at_least?: number }
}

async function list(url: string, query: string): Promise<Counted> {
  const response = await fetch(`${url}${API}/assets?${query}`)
  if (response.status !== 200) throw new Error(`${query}: status ${response.status}`)
  return (await response.json()) as Counted
}

const rate = (title: string): Metric => ({ title, unit: '/s', better: 'higher' })
const latency = (title: string): Metric => ({ title, unit: 'ms', better: 'lower' })

export const LARGE = 'Stowage, 1,000,000 assets'
export const SMALL = 'Stowage, 10,000 assets'
const HELLO = 'Fastify, hello world'
const BY_ID = 'Fastify, plain query by ID'

export const LIST_METRICS: Record<string, Metric> = {
  first: rate('First page of 25'),
  middle: rate('Middle page of 25'),
  last: rate('Last page of 25'),
  rare: rate('Name filter with 300 matches'),
  rareWords: rate('Search for two words with 300 matches'),
  one: rate('One asset by ID'),
  thousand: rate('1,000 assets with their products'),
  all: latency('Name filter that matches all assets'),
  allWords: latency('Search that matches all assets'),
}

/** From 10,000 to 1,000,000 assets, no metric may get worse by more than this factor. */
const GROWTH = 1.5

const FIRST_PAGE = `On SQLite, a fifth of the time of a request is spent on reading 25 rows, a sixth on writing 11 kB
  to the socket, and a tenth on JSON. Reading needs a call for each value, and a new string for most values. On PostgreSQL,
  the database runs on the same processors, and uses a third of the CPU time of the request. Tried, without a clear gain: JSON
  from a template instead of JSON.stringify, a body as bytes instead of text, and one JSON text for all rows. The SHA-1 of
  the ETag takes 5 %; GMAC takes longer for 11 kB, because each text needs a new cipher. A cached page would have to be
  invalidated on every instance with each change.`

const ONE_ASSET = `The minimal program sends the row unchanged. In a profile, a quarter of the time of a request is spent on
  writing to the socket, as there, and a tenth on the statement. The rest is spread over hundreds of functions of at most 4 %
  each: the hooks of Fastify, the turns of the accounts, the validation of the ID, the fields of the wire format, and the log.`

const ALL_WORDS = `The name filter has counted all matches at its first use, and then reads only the rows of the page. A search
  does not count them, so that the first one does not wait, and reads the first 2,000 rows each time.`

export const LIST_TARGETS: Target[] = [
  {
    metric: 'first',
    limit: { atLeast: 0.15 },
    relativeTo: { contender: HELLO },
    reason: FIRST_PAGE,
  },
  { metric: 'middle', limit: { atLeast: 0.5 }, relativeTo: { metric: 'first' } },
  { metric: 'last', limit: { atLeast: 0.5 }, relativeTo: { metric: 'first' } },
  { metric: 'rare', limit: { atLeast: 1000 } },
  { metric: 'rareWords', limit: { atLeast: 0.8 }, relativeTo: { metric: 'rare' } },
  { metric: 'all', limit: { below: 50 } },
  {
    metric: 'allWords',
    limit: { below: 1.25 },
    relativeTo: { metric: 'all' },
    reason: ALL_WORDS,
  },
  {
    metric: 'one',
    limit: { atLeast: 0.7 },
    relativeTo: { contender: BY_ID },
    reason: ONE_ASSET,
  },
  { metric: 'thousand', limit: { atLeast: 20 } },
  ...Object.entries(LIST_METRICS).map(([metric, { better }]): Target => {
    const limit = better === 'higher' ? { atLeast: 1 / GROWTH } : { below: GROWTH }
    return { metric, limit, relativeTo: { contender: SMALL } }
  }),
]
