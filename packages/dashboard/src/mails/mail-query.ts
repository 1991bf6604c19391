import type { Mail } from '@stowage/client'
import { readPage } from '../components/url-query.ts'

/** The filters and the page of the list of mails, as in the URL. */
export interface MailQuery {
  state: Mail['state'] | ''
  kind: Mail['kind'] | ''
  /** Only mails about this order. */
  order: string
  /** Only mails of this notice of a new version. */
  notice: string
  page: number
}

export const STATES = ['queued', 'sending', 'sent', 'failed', 'cancelled'] as const
export const KINDS = ['files_ready', 'new_version', 'links'] as const

export const NO_FILTERS = { state: '', kind: '', order: '', notice: '' } as const
const DEFAULTS: MailQuery = { ...NO_FILTERS, page: 1 }
const ID = /^[0-9a-f-]{36}$/i

/** Missing and invalid parameters get their defaults. */
export function readMailQuery(search: string): MailQuery {
  const params = new URLSearchParams(search)
  const readId = (name: string) => ID.exec(params.get(name) ?? '')?.[0] ?? ''
  return {
    state: STATES.find((state) => state === params.get('state')) ?? '',
    kind: KINDS.find((kind) => kind === params.get('kind')) ?? '',
    order: readId('order'),
    notice: readId('notice'),
    page: readPage(params),
  }
}

/** The URL contains only parameters that differ from their defaults. */
export function mailsUrl(query: Partial<MailQuery>): string {
  const params = Object.entries(query)
    .filter(([name, value]) => value !== DEFAULTS[name as keyof MailQuery])
    .map(([name, value]) => [name, String(value)])
  return params.length === 0 ? '/mails' : `/mails?${new URLSearchParams(params)}`
}

/** The query as parameters of the API, without the page. */
export function mailFilters({ state, kind, order, notice }: Partial<MailQuery>) {
  return {
    ...(state && { state }),
    ...(kind && { kind }),
    ...(order && { order }),
    ...(notice && { notice }),
  }
}
