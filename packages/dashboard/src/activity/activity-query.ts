import { firstWords, readText } from '../components/url-query.ts'
import { dateText } from '../format.ts'
import { typesOf } from './events.ts'

/** The filters and the position of the activity, as in the URL. */
export interface ActivityQuery {
  search: string
  /** A group of types or a type: see `typesOf`. Empty: all. */
  show: string
  /** As the API takes it. */
  actor: string
  /** Days such as 2026-01-31, in the time zone of the reader. */
  from: string
  to: string
  /** Shows only events before the event with this ID; 0 for the newest events. */
  before: number
}

export const NO_FILTERS: ActivityQuery = {
  search: '',
  show: '',
  actor: '',
  from: '',
  to: '',
  before: 0,
}

/** Missing and invalid parameters get their defaults. */
export function readActivityQuery(search: string): ActivityQuery {
  const params = new URLSearchParams(search)
  const show = params.get('show') ?? ''
  const before = Number(params.get('before') ?? 0)
  return {
    search: readText(params, 'search'),
    show: typesOf(show) === undefined ? '' : show,
    actor: readText(params, 'actor'),
    from: readDay(params, 'from'),
    to: readDay(params, 'to'),
    before: Number.isSafeInteger(before) && before > 0 ? before : 0,
  }
}

function readDay(params: URLSearchParams, name: string): string {
  const day = params.get(name) ?? ''
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && startOf(day) !== undefined ? day : ''
}

/** The URL contains only parameters that differ from their defaults. */
export function activityUrl(query: ActivityQuery): string {
  const params = Object.entries(query)
    .filter(([name, value]) => value !== NO_FILTERS[name as keyof ActivityQuery])
    .map(([name, value]) => [name, String(value)])
  return params.length === 0 ? '/activity' : `/activity?${new URLSearchParams(params)}`
}

/** The query as parameters of the API, without the position. */
export function activityFilters({ search, show, actor, from, to }: ActivityQuery) {
  const types = typesOf(show)
  const start = startOf(from)
  const end = startOf(to, 1)
  return {
    ...(search !== '' && { search: firstWords(search) }),
    ...(types !== undefined && { type: types.join(',') }),
    ...(actor !== '' && { actor }),
    ...(start !== undefined && { from: start.toISOString() }),
    ...(end !== undefined && { to: end.toISOString() }),
  }
}

/** When the day starts, or the one that is this many days later. Undefined if there is no such day. */
function startOf(day: string, later = 0): Date | undefined {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) return undefined
  const start = new Date(year, month - 1, date)
  // Years below 100 and days such as February 30 are read as others.
  if (start.getFullYear() !== year || start.getMonth() !== month - 1) return undefined
  return new Date(year, month - 1, date + later)
}

/** `Jan 31, 2026` */
export function dayText(day: string): string {
  return dateText(startOf(day) ?? new Date(), 'day')
}
