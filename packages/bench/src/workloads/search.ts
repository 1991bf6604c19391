import { CATALOG_SETTINGS, copyFilled, startFilledPostgres } from '../catalog/filled.ts'
import { expectTotal } from '../catalog/lists.ts'
import { COMMON, countWithProductWord, PRODUCT_WORD } from '../catalog/records.ts'
import { watchStalls } from '../load/send-load.ts'
import { timed } from '../measure.ts'
import { CHECKOUTS, startStowage } from '../processes/servers.ts'
import type { Contender, Metric, Target, Workload } from '../workload.ts'

const COUNT = 1_000_000

const latency = (title: string): Metric => ({ title, unit: 'ms', better: 'lower' })

const METRICS: Record<string, Metric> = {
  name: latency('Name filter that matches all assets, first time'),
  words: latency('Search that matches all assets, first time'),
  products: latency('Search for words of products and file names, first time'),
  stall: latency('Longest response time of other clients during the searches'),
}

const EXACT_TOTAL = `The filter filename belongs to the interface, and its clients know no bounds: the total is exact, so
  that the first request compares all 1,000,000 names, in batches between which other requests are served. With
  exact_total=false, the filter is as fast as a search.`

const TARGETS: Target[] = [
  { metric: 'name', limit: { below: 50 }, reason: EXACT_TOTAL },
  { metric: 'words', limit: { below: 50 } },
  { metric: 'products', limit: { below: 50 } },
  { metric: 'stall', limit: { below: 20 } },
]

export const search: Workload = {
  title: 'First search for a word that all of 1,000,000 names have, on SQLite',
  metrics: METRICS,
  targets: TARGETS,
  async open(context) {
    const contenders: Contender[] = []
    for (const { name, program } of CHECKOUTS) {
      const folder = await context.folder()
      await copyFilled(folder, COUNT)
      const settings = { ...CATALOG_SETTINGS, STOWAGE_DATA: folder }
      const { url } = await startStowage(context, settings, program)
      contenders.push(searchContender(name, url, COUNT))
    }
    return contenders
  },
}

export const searchPostgres: Workload = {
  title: 'First search for a word that all of 1,000,000 names have, on PostgreSQL',
  metrics: METRICS,
  targets: TARGETS,
  async open(context) {
    const postgres = await startFilledPostgres(context)
    const first = await postgres.database(COUNT)
    const contenders: Contender[] = []
    // The last one uses the first database, which cannot be copied while it is in use.
    for (const { name, program } of CHECKOUTS.toReversed()) {
      const isLast = name === CHECKOUTS[0]?.name
      const database = isLast ? first : await postgres.copy(first, name.toLowerCase())
      const settings = { ...CATALOG_SETTINGS, STOWAGE_DATABASE: database }
      const { url } = await startStowage(context, settings, program)
      contenders.unshift(searchContender(name, url, COUNT))
    }
    return contenders
  },
}

/** Each search uses a term that nobody has searched for before: a part of a word that all names have. */
export function searchContender(name: string, url: string, count: number): Contender {
  const terms = commonTerms()
  const timeOf = async (query: string, total: number) => {
    const { time } = await timed(() => expectTotal(url, query, total))
    return time
  }
  const newTerm = () => {
    const { value } = terms.next()
    if (value === undefined) throw new Error('no new search term is left: use fewer rounds')
    return value
  }
  return {
    name,
    async run() {
      const { result, longestMs } = await watchStalls(url, async () => ({
        name: await timeOf(`filename=${newTerm()}`, count),
        words: await timeOf(`search=${newTerm()}`, count),
        products: await timeOf(`search=${PRODUCT_WORD}+${newTerm()}`, countWithProductWord(count)),
      }))
      return { ...result, stall: longestMs }
    },
  }
}

/** Distinct parts of a name that match all assets. */
export function* commonTerms(): Generator<string, undefined> {
  const text = `-${COMMON}-`
  for (let length = text.length; length > 1; length -= 1) {
    for (let start = 0; start + length <= text.length; start += 1) {
      yield text.slice(start, start + length)
    }
  }
}
