import { sendLoad } from '../load/send-load.ts'
import { watchStalls } from '../load/watch-stalls.ts'
import { spreadOf } from '../measure.ts'
import type { ServerProcess } from '../processes/server-process.ts'
import { API } from '../processes/stowage.ts'
import { timed } from '../timed.ts'
import type { Contender } from '../workload.ts'
import { BY_ID, HELLO } from './metrics.ts'
import { assetId, COMMON, countWithProductWord, PRODUCT_WORD, RARE, RARE_COUNT } from './records.ts'

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
  const newTerms = commonTerms()
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
        ...(await searchAll({ url, count, newTerm: newTerms.next().value })),
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

/**
 * Searches for terms that match all assets: once for a new term, then several times for `COMMON`. Also searches once
 * for the new term together with a word of products.
 */
async function searchAll(options: { url: string; count: number; newTerm: string | undefined }) {
  const { url, count, newTerm = '' } = options
  const { result, longestMs } = await watchStalls(url, async () => {
    const { time: cold } = await timed(() => expectTotal(url, `filename=${newTerm}`, count))
    const { time: coldWord } = await timed(() => expectTotal(url, `search=${newTerm}`, count))
    const products = `search=${PRODUCT_WORD}+${newTerm}`
    const { time: coldProducts } = await timed(() =>
      expectTotal(url, products, countWithProductWord(count)),
    )
    const times: number[] = []
    for (let turn = 0; turn < REPETITIONS; turn += 1) {
      const { time } = await timed(() => expectTotal(url, `filename=${COMMON}`, count))
      times.push(time)
    }
    const words: number[] = []
    for (let turn = 0; turn < REPETITIONS; turn += 1) {
      const { time } = await timed(() => expectTotal(url, `search=${COMMON}`, count))
      words.push(time)
    }
    return {
      cold,
      coldWord,
      coldProducts,
      all: spreadOf(times).median,
      allWords: spreadOf(words).median,
    }
  })
  return { ...result, stall: longestMs }
}

/** Distinct parts of a name that match all assets. */
function* commonTerms(): Generator<string, undefined> {
  const text = `-${COMMON}-`
  for (let length = text.length; length > 0; length -= 1) {
    for (let start = 0; start + length <= text.length; start += 1) {
      const term = text.slice(start, start + length)
      if (term !== COMMON) yield term
    }
  }
}

async function expectTotal(url: string, query: string, total: number): Promise<void> {
  const { meta } = await list(url, query)
  if (meta.total !== total) throw new Error(`${query} found ${meta.total} instead of ${total}`)
}

async function list(url: string, query: string): Promise<{ meta: { total: number } }> {
  const response = await fetch(`${url}${API}/assets?${query}`)
  if (response.status !== 200) throw new Error(`${query}: status ${response.status}`)
  return (await response.json()) as { meta: { total: number } }
}
