import type { Figure, Target } from '../workload.ts'

const rate = (title: string): Figure => ({ title, unit: '/s', better: 'more' })
const wait = (title: string): Figure => ({ title, unit: 'ms', better: 'less' })

export const LARGE = 'Stowage, 1,000,000 assets'
export const SMALL = 'Stowage, 10,000 assets'
export const HELLO = 'Fastify, hello world'
export const BY_ID = 'Fastify, the plain query'

export const LIST_FIGURES: Record<string, Figure> = {
  first: rate('First page of 25'),
  middle: rate('Middle page of 25'),
  last: rate('Last page of 25'),
  rare: rate('Search with 300 matches'),
  one: rate('One asset by ID'),
  thousand: rate('1,000 assets with their products'),
  all: wait('Search that matches all'),
  cold: wait('Search that matches all, first time'),
  stall: wait('Longest response time of other clients during the searches'),
}

/** From 10,000 to 1,000,000 assets, no metric may get worse by more than this factor. */
const GROWTH = 1.5
/** These metrics have an absolute limit. */
const ABSOLUTE = ['cold', 'stall']

const FIRST_PAGE = `on SQLite, a third of the time is spent reading 25 rows, with a call for each value and
  a new string for most; a seventh on JSON; a tenth on writing 10 kB to the socket. On PostgreSQL, even a
  plain query by ID is far slower than hello world, as the database runs on the same processors. A cached
  page would have to be invalidated on every instance with each change.`

export const LIST_TARGETS: Target[] = [
  {
    figure: 'first',
    limit: { atLeast: 0.15 },
    times: { contender: HELLO },
    reason: FIRST_PAGE,
  },
  { figure: 'middle', limit: { atLeast: 0.5 }, times: { figure: 'first' } },
  { figure: 'last', limit: { atLeast: 0.5 }, times: { figure: 'first' } },
  { figure: 'rare', limit: { atLeast: 1000 } },
  { figure: 'all', limit: { below: 50 } },
  {
    figure: 'cold',
    limit: { below: 50 },
    reason: `the first search for a term that matches everything compares every name. The database does
      this in batches, between which it serves other requests. The counts are then cached, and only blocks
      of assets that have changed are counted again.`,
  },
  { figure: 'one', limit: { atLeast: 0.6 }, times: { contender: BY_ID } },
  { figure: 'thousand', limit: { atLeast: 20 } },
  { figure: 'stall', limit: { below: 20 } },
  ...Object.entries(LIST_FIGURES).flatMap(([figure, { better }]): Target[] => {
    if (ABSOLUTE.includes(figure)) return []
    const limit = better === 'more' ? { atLeast: 1 / GROWTH } : { below: GROWTH }
    return [{ figure, limit, times: { contender: SMALL } }]
  }),
]
