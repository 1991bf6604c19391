import { API } from '../processes/servers.ts'
import type { Shop } from './populate.ts'

/** A call that is repeated. `index` is the number of the repetition, so that each can use another asset. */
interface ShopCall {
  name: string
  call(index: number): Promise<void>
}

const PAGE = 25

/** The most common calls that use the database, in the order of an asset's life cycle. */
export async function shopCalls(url: string, shop: Shop): Promise<ShopCall[]> {
  const request = requester(url, shop)
  const pages = Math.ceil(shop.assets / PAGE)
  const first = await request('GET', `/assets?limit=1000`)
  const ids: string[] = first.data.map(({ id }: { id: string }) => id)
  const idAt = (index: number) => ids[index % ids.length]
  const opened: { id: string; upload_id: string }[] = []
  const open = async () => {
    const session = await request('POST', '/assets/signed', { name: 'new pack.zip', size: 3 })
    opened.push(session)
    return session
  }
  const stored: { id: string; upload_id: string }[] = []
  for (let count = 0; count < 2 * REPETITIONS; count += 1) {
    const session = await request('POST', '/assets/signed', { name: 'new pack.zip', size: 3 })
    await put(session.urls[0].url)
    stored.push(session)
  }
  const ready: string[] = []
  const terms = commonTerms()
  return [
    { name: 'Request an upload', call: async () => void (await open()) },
    {
      name: 'Resume an upload',
      call: async (index) => void (await request('GET', `/assets/${opened[index]?.id}/upload`)),
    },
    {
      name: 'Cancel an upload',
      async call(index) {
        const { id, upload_id } = opened[index] ?? (await open())
        await request('POST', `/assets/${id}/cancel`, { upload_id })
      },
    },
    {
      name: 'Complete an upload',
      async call() {
        const session = stored.pop()
        if (session === undefined) throw new Error('no upload remains to be completed')
        const { id, upload_id } = session
        await request('POST', `/assets/${id}/uploaded`, { upload_id })
        ready.push(id)
      },
    },
    {
      name: 'Attach two products',
      call: async (index) =>
        void (await request('POST', `/assets/${idAt(index)}/attach`, { variant_ids: [1, 2] })),
    },
    {
      name: 'Detach one product',
      call: async (index) =>
        void (await request('POST', `/assets/${idAt(index)}/detach`, { variant_ids: [1] })),
    },
    {
      name: 'Rename',
      call: async (index) =>
        void (await request('PUT', `/assets/${idAt(index)}`, {
          filename: `renamed pack ${index}`,
        })),
    },
    { name: 'Show', call: async (index) => void (await request('GET', `/assets/${idAt(index)}`)) },
    { name: 'First page', call: async () => void (await request('GET', '/assets')) },
    {
      name: 'First page with products',
      call: async () => void (await request('GET', '/assets?with_products=true')),
    },
    {
      name: 'Middle page',
      call: async (index) =>
        void (await request('GET', `/assets?page=${Math.ceil(pages / 2) + index}`)),
    },
    { name: 'Last page', call: async () => void (await request('GET', `/assets?page=${pages}`)) },
    {
      name: 'Search that matches 0.3 %',
      call: async () => void (await request('GET', '/assets?filename=zebra')),
    },
    {
      name: 'Search that matches all assets',
      call: async () => void (await request('GET', '/assets?filename=pack')),
    },
    {
      name: 'New search that matches few',
      call: async (index) => void (await request('GET', `/assets?filename=-pack-${1000 + index}`)),
    },
    {
      name: 'New search that matches most',
      call: async () => void (await request('GET', `/assets?filename=${terms.pop()}`)),
    },
    {
      name: 'Assets of a product',
      call: async () => void (await request('GET', '/assets?product_id=7')),
    },
    { name: 'Account', call: async () => void (await request('GET', '/account')) },
    {
      name: 'Delete',
      call: async () => void (await request('DELETE', `/assets/${ready.pop()}`)),
    },
  ]
}

/** Search terms that match nearly all names. Each is used only once, so that its counts are not cached. */
function commonTerms(): string[] {
  const whole = '-take-pack-'
  const starts = Array.from(whole, (_, start) => start)
  return starts
    .flatMap((start) => starts.map((end) => whole.slice(start, end + 1)))
    .filter((term) => term.length > 2)
}

/** How many times each call is measured. */
export const REPETITIONS = 30

export type Requester = ReturnType<typeof requester>

/** Calls the API. Throws if a response is not a success. Without a key, the service must not require one. */
export function requester(url: string, account: { key?: string }) {
  return async (method: string, path: string, body?: unknown) => {
    const json = body ? { 'content-type': 'application/json' } : {}
    const response = await fetch(`${url}${API}${path}`, {
      method,
      headers: { ...authorizationOf(account), ...json },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}

export function authorizationOf({ key }: { key?: string }): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

async function put(url: string): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body: 'abc' })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`the storage rejected a part: ${response.status}`)
}
