import { API } from '../processes/stowage.ts'
import type { Shop } from './populate.ts'

/** One of the calls that a shop makes, made again and again with what the shop has. */
export interface ShopCall {
  name: string
  call(index: number): Promise<void>
}

const PAGE = 25

/** Every call of the interface that reaches for the database, in the order of an asset's life. */
export async function shopCalls(url: string, shop: Shop): Promise<ShopCall[]> {
  const ask = asker(url, shop)
  const pages = Math.ceil(shop.assets / PAGE)
  const first = await ask('GET', `/assets?limit=1000`)
  const ids: string[] = first.data.map(({ id }: { id: string }) => id)
  const idAt = (index: number) => ids[index % ids.length]
  const opened: { id: string; upload_id: string }[] = []
  const open = async () => {
    const session = await ask('POST', '/assets/signed', { name: 'new pack.zip', size: 3 })
    opened.push(session)
    return session
  }
  const stored: { id: string; upload_id: string }[] = []
  for (let count = 0; count < 2 * STORED; count += 1) {
    const session = await ask('POST', '/assets/signed', { name: 'new pack.zip', size: 3 })
    await put(session.urls[0].url)
    stored.push(session)
  }
  const ready: string[] = []
  const parts = commonParts()
  return [
    { name: 'Request an upload', call: async () => void (await open()) },
    {
      name: 'Resume it',
      call: async (index) => void (await ask('GET', `/assets/${opened[index]?.id}/upload`)),
    },
    {
      name: 'Cancel it',
      async call(index) {
        const { id, upload_id } = opened[index] ?? (await open())
        await ask('POST', `/assets/${id}/cancel`, { upload_id })
      },
    },
    {
      name: 'Complete one',
      async call() {
        const session = stored.pop()
        if (session === undefined) throw new Error('no upload is left to complete')
        const { id, upload_id } = session
        await ask('POST', `/assets/${id}/uploaded`, { upload_id })
        ready.push(id)
      },
    },
    {
      name: 'Attach two products',
      call: async (index) =>
        void (await ask('POST', `/assets/${idAt(index)}/attach`, { variant_ids: [1, 2] })),
    },
    {
      name: 'Detach one',
      call: async (index) =>
        void (await ask('POST', `/assets/${idAt(index)}/detach`, { variant_ids: [1] })),
    },
    {
      name: 'Rename',
      call: async (index) =>
        void (await ask('PUT', `/assets/${idAt(index)}`, { filename: `renamed pack ${index}` })),
    },
    { name: 'Show', call: async (index) => void (await ask('GET', `/assets/${idAt(index)}`)) },
    { name: 'First page', call: async () => void (await ask('GET', '/assets')) },
    {
      name: 'First page with products',
      call: async () => void (await ask('GET', '/assets?with_products=true')),
    },
    {
      name: 'A page in the middle',
      call: async (index) =>
        void (await ask('GET', `/assets?page=${Math.ceil(pages / 2) + index}`)),
    },
    { name: 'Last page', call: async () => void (await ask('GET', `/assets?page=${pages}`)) },
    {
      name: 'A name that 0.3 % have',
      call: async () => void (await ask('GET', '/assets?filename=zebra')),
    },
    {
      name: 'A name that all have',
      call: async () => void (await ask('GET', '/assets?filename=pack')),
    },
    {
      name: 'A name that few have, new',
      call: async (index) => void (await ask('GET', `/assets?filename=-pack-${1000 + index}`)),
    },
    {
      name: 'A name that most have, new',
      call: async () => void (await ask('GET', `/assets?filename=${parts.pop()}`)),
    },
    {
      name: 'The assets of a product',
      call: async () => void (await ask('GET', '/assets?product_id=7')),
    },
    { name: 'The account', call: async () => void (await ask('GET', '/account')) },
    {
      name: 'Delete',
      call: async () => void (await ask('DELETE', `/assets/${ready.pop()}`)),
    },
  ]
}

/** Pieces of what nearly all names have: each is asked for once, so that nobody remembers it. */
function commonParts(): string[] {
  const whole = '-take-pack-'
  const starts = Array.from(whole, (_, start) => start)
  return starts
    .flatMap((start) => starts.map((end) => whole.slice(start, end + 1)))
    .filter((part) => part.length > 2)
}

/** How many uploads lie ready to be completed, halved: the first call of each kind is not counted. */
export const STORED = 30

function asker(url: string, { key }: Shop) {
  const authorization = `Bearer ${key}`
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${API}${path}`, {
      method,
      headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}

async function put(address: string): Promise<void> {
  const response = await fetch(address, { method: 'PUT', body: 'abc' })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`a part was refused: ${response.status}`)
}
