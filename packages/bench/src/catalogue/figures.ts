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
  rare: rate('A name that 300 have'),
  one: rate('One by its id'),
  thousand: rate('1,000 with their products'),
  all: wait('A name that all have'),
  cold: wait('A name that all have, for the first time'),
  stall: wait('Longest wait of another client meanwhile'),
}

/** From 10,000 to 1,000,000 assets nothing gets worse than by this. */
const GROWTH = 1.5
/** But for what has a limit by itself. */
const BY_THEMSELVES = ['cold', 'stall']

const FIRST_PAGE = `of a page on SQLite a third is the reading of 25 rows, of which each value is a call
  and most are a new string; a seventh JSON, a tenth the writing of 10 kB to the socket. On PostgreSQL one
  plain query by id already has far less than hello world, as the database works on the same
  processors. A page that is kept ready would have to be forgotten on every instance when one changes it.`

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
    reason: `whoever first asks for a name that everything has waits until each name was compared: the
      database's own work, done in pieces between which others are served. It is remembered from then
      on, and only blocks of assets that have changed are looked at again.`,
  },
  { figure: 'one', limit: { atLeast: 0.6 }, times: { contender: BY_ID } },
  { figure: 'thousand', limit: { atLeast: 20 } },
  { figure: 'stall', limit: { below: 20 } },
  ...Object.entries(LIST_FIGURES).flatMap(([figure, { better }]): Target[] => {
    if (BY_THEMSELVES.includes(figure)) return []
    const limit = better === 'more' ? { atLeast: 1 / GROWTH } : { below: GROWTH }
    return [{ figure, limit, times: { contender: SMALL } }]
  }),
]
