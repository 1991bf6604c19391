import type { Metric, Target } from '../workload.ts'

const rate = (title: string): Metric => ({ title, unit: '/s', better: 'higher' })
const latency = (title: string): Metric => ({ title, unit: 'ms', better: 'lower' })

export const LARGE = 'Stowage, 1,000,000 assets'
export const SMALL = 'Stowage, 10,000 assets'
export const HELLO = 'Fastify, hello world'
export const BY_ID = 'Fastify, plain query by ID'

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
  cold: latency('Name filter that matches all assets, first time'),
  coldWord: latency('Search that matches all assets, first time'),
  coldProducts: latency('Search for words of products and file names, first time'),
  stall: latency('Longest response time of other clients during the searches'),
}

/** From 10,000 to 1,000,000 assets, no metric may get worse by more than this factor. */
const GROWTH = 1.5
/** Except for these metrics, which have limits of their own. */
const EXEMPT = ['cold', 'coldWord', 'coldProducts', 'stall']

const FIRST_PAGE = `On SQLite, a third of the time of a request is spent on reading 25 rows, a seventh on JSON, and a
  tenth on writing 10 kB to the socket. Reading needs a call for each value, and a new string for most values. On
  PostgreSQL, even a plain query by ID is far slower than hello world, as the database runs on the same processors. A
  cached page would have to be invalidated on every instance with each change.`

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
  { metric: 'allWords', limit: { below: 1.25 }, relativeTo: { metric: 'all' } },
  {
    metric: 'cold',
    limit: { below: 50 },
    reason: `The first search for a term that matches everything compares every name. The database does
      this in batches, between which it serves other requests. The counts are then cached, and only blocks
      of assets that have changed are counted again.`,
  },
  { metric: 'coldWord', limit: { below: 1.25 }, relativeTo: { metric: 'cold' } },
  {
    metric: 'coldProducts',
    limit: { below: 50 },
    reason: `The first search for a word of a product reads the products of every asset whose name does
      not contain the word. It does so in batches, like a name filter.`,
  },
  { metric: 'one', limit: { atLeast: 0.6 }, relativeTo: { contender: BY_ID } },
  { metric: 'thousand', limit: { atLeast: 20 } },
  { metric: 'stall', limit: { below: 20 } },
  ...Object.entries(LIST_METRICS).flatMap(([metric, { better }]): Target[] => {
    if (EXEMPT.includes(metric)) return []
    const limit = better === 'higher' ? { atLeast: 1 / GROWTH } : { below: GROWTH }
    return [{ metric, limit, relativeTo: { contender: SMALL } }]
  }),
]
